package io.github.vertxrdma.referee;

import io.github.vertxrdma.referee.Call.Kind;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The calls on one word, by all clients; any thread. In a file it outlives the process that writes it. */
public final class History {
  private final Map<Integer, Call> calls = new ConcurrentHashMap<>();
  private final Map<Integer, Runnable> events = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FileChannel file;

  public History() {
    file = null;
  }

  /** In a new file, of which {@link #read} makes calls again. */
  public History(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
  }

  /** Does something, once, when so many calls have been made. */
  public void when(int many, Runnable event) {
    events.put(many, event);
  }

  /** Makes a call. @return the same future, after its answer is noted */
  Future<Long> call(int client, Kind kind, long first, long second, Supplier<Future<Long>> operation) {
    int number = count.incrementAndGet();
    note(number, new Call(client, kind, first, second, System.nanoTime(), Call.NEVER, 0));
    Future<Long> answer = operation.get().onSuccess(found -> {
      long now = System.nanoTime();
      Call call = calls.get(number);
      note(number, new Call(client, kind, first, second, call.called(), now, found));
    });
    Runnable event = events.remove(number);
    if (event != null) {
      event.run();
    }
    return answer;
  }

  private void note(int number, Call call) {
    calls.put(number, call);
    if (file != null) {
      String line = number + " " + call.client() + " " + call.kind() + " " + call.first() + " " + call.second() + " " + call.called() + " "
        + call.returned() + " " + call.found() + "\n";
      try {
        file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public List<Call> calls() {
    return List.copyOf(calls.values());
  }

  /** The calls of a process that may have been killed while it wrote a line. */
  public static List<Call> read(Path path) throws IOException {
    String text = Files.readString(path);
    Map<String, Call> calls = new HashMap<>();
    text.substring(0, text.lastIndexOf('\n') + 1).lines().map(line -> line.split(" ")).forEach(word -> calls.put(word[0],
      new Call(Integer.parseInt(word[1]), Kind.valueOf(word[2]), Long.parseLong(word[3]), Long.parseLong(word[4]), Long.parseLong(word[5]),
        Long.parseLong(word[6]), Long.parseLong(word[7]))));
    return List.copyOf(calls.values());
  }
}
