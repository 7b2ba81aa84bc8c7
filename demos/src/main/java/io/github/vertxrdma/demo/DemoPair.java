package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** A demo of two processes: a client, and a server that it starts. They find each other in the same-host directory. */
record DemoPair(Demo.Pair arguments, String[] line) {
  private static final String READY = "ready ";
  private static final List<Thread> OUTPUTS = new ArrayList<>();

  /** Work of a demo, in client and server. */
  interface Body {
    void run(DemoPair pair) throws Exception;
  }

  /** Runs a demo and returns the exit status. @param line command line of client and server */
  static int run(Demo.Pair arguments, String[] line, Body body) throws Exception {
    body.run(new DemoPair(arguments, line));
    return 0;
  }

  boolean isClient() {
    return !arguments.server;
  }

  RdmaOptions options() {
    return new RdmaOptions().setFabric(arguments.fabric)
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(arguments.group));
  }

  /** Writes the options to a file for the network stack of a Vert.x that is created later, which then shares the application's node. */
  RdmaOptions forNetworkStack() throws IOException {
    Path file = Files.createTempFile("vertx-rdma-demo", ".json");
    file.toFile().deleteOnExit();
    Files.writeString(file, options().toJson().encode());
    System.setProperty("vertx.rdma.config", file.toString());
    return options();
  }

  /** Starts the server, which ends with this process. Returns the line that the server prints when it is ready. */
  String startServer() throws Exception {
    CompletableFuture<String> ready = new CompletableFuture<>();
    Process server = start(line, words -> {
      if (words.startsWith(READY)) {
        ready.complete(words.substring(READY.length()));
      } else {
        System.out.println("server | " + words);
      }
    }, "--server", "--group", arguments.group);
    server.onExit().thenRun(() -> ready.completeExceptionally(new IOException("the server has ended before it was ready")));
    return ready.get(Main.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Prints that this server is ready, and waits until the client's process has ended. */
  static void serve(String words) throws IOException {
    System.out.println(READY + words);
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  /** Returns the name of a device that has sent messages, or TCP. */
  static String fabric(Rdma rdma) throws Exception {
    return Main.await(rdma.statistics()).devices().stream().filter(device -> device.traffic().messagesSent() > 0)
      .map(device -> device.device()).findFirst().orElse("TCP");
  }

  /** Starts this program in another process. @param output called with each line that the process prints */
  static Process start(String[] line, Consumer<String> output, String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(line));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    OUTPUTS.add(Thread.ofPlatform().daemon().start(() -> process.inputReader(StandardCharsets.UTF_8).lines().forEach(output)));
    return process;
  }

  static void awaitOutputs() throws InterruptedException {
    for (Thread output : OUTPUTS) {
      output.join();
    }
  }

  /** Runs operations one after the other on the event loop of a context. Returns their times in ns, in ascending order. */
  static long[] time(Context context, int count, IntFunction<Future<?>> operation) throws Exception {
    long[] nanos = new long[count];
    Promise<Void> done = Promise.promise();
    next(context, 0, nanos, operation, done);
    done.future().await();
    Arrays.sort(nanos);
    return nanos;
  }

  private static void next(Context context, int number, long[] nanos, IntFunction<Future<?>> operation, Promise<Void> done) {
    if (number == nanos.length) {
      done.complete();
      return;
    }
    context.runOnContext(v -> {
      long start = System.nanoTime();
      operation.apply(number).onFailure(done::tryFail).onSuccess(result -> {
        nanos[number] = System.nanoTime() - start;
        next(context, number + 1, nanos, operation, done);
      });
    });
  }

  static String percentile(long[] sorted, int percent) {
    return String.format(Locale.ROOT, "%.1f µs", sorted[(sorted.length - 1) * percent / 100] / 1e3);
  }

  static void print(String what, String one, long[] times, String other, long[] others) {
    line(what, one, other);
    line("  half of them within", percentile(times, 50), percentile(others, 50));
    line("  99 of 100 within", percentile(times, 99), percentile(others, 99));
    line("  per second", Math.round(times.length * 1e9 / Arrays.stream(times).sum()),
      Math.round(others.length * 1e9 / Arrays.stream(others).sum()));
  }

  static void line(String what, Object one, Object other) {
    System.out.printf("%-40s %14s %14s%n", what, one, other);
  }
}
