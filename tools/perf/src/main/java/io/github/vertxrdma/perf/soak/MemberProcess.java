package io.github.vertxrdma.perf.soak;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A member of the soak as who started it sees it. */
final class MemberProcess {
  private static final int SECONDS = 150;
  private static final String END = "";

  final int number;
  private final Process process;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  /** The last it said besides. */
  private final ArrayBlockingQueue<String> said = new ArrayBlockingQueue<>(20);

  MemberProcess(Path folder, String fabric, int number, int members, long seed) throws IOException {
    this.number = number;
    process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-Dvertx.rdma.runtime=" + folder.resolve("runtime"),
      "-cp", System.getProperty("java.class.path"), Member.class.getName(), folder.resolve("directory").toString(), fabric,
      String.valueOf(number), String.valueOf(members), String.valueOf(seed)).redirectErrorStream(true).start();
    Thread.ofPlatform().daemon().name("member-" + number).start(this::read);
  }

  private void read() {
    try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith(Member.MARK)) {
          answers.add(line.substring(Member.MARK.length()));
        } else if (!said.offer(line)) {
          said.poll();
          said.add(line);
        }
      }
    } catch (IOException e) {
      said.offer(e.toString());
    }
    answers.add(END);
  }

  /** @throws SoakException if it does not answer */
  JsonObject ask(String command) throws IOException, InterruptedException {
    OutputStream in = process.getOutputStream();
    in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
    return answer();
  }

  JsonObject answer() throws InterruptedException {
    String answer = answers.poll(SECONDS, TimeUnit.SECONDS);
    if (answer == null || answer.equals(END)) {
      throw new SoakException("member " + number + (answer == null ? " did not answer in " + SECONDS + " s: " : " ended: ")
        + String.join(" | ", said));
    }
    return new JsonObject(answer);
  }

  /** @param name STOP or CONT */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor();
  }

  /** kill -9, and waits for the end. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Lets it end by itself. */
  void leave() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
