package io.github.vertxrdma.demo;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A demo of two processes that find each other in the same-host directory: this one is the client, and starts the server. */
final class Pair implements AutoCloseable {
  private static final String READY = "ready ";

  private final Map<String, String> arguments = new TreeMap<>();
  private final Map<String, Integer> numbers = new TreeMap<>();
  private Process server;

  /** What a demo does in either process. */
  interface Body {
    void run(Pair pair) throws Exception;
  }

  private Pair(Map<String, Integer> known, String... args) throws UsageException {
    known.forEach((name, number) -> arguments.put(name, number.toString()));
    arguments.put("--fabric", "");
    arguments.put("--group", UUID.randomUUID().toString());
    arguments.put("--role", "client");
    for (int i = 0; i < args.length; i += 2) {
      if (!arguments.containsKey(args[i]) || i + 1 == args.length) {
        throw new UsageException("unexpected argument '" + args[i] + "'; options are "
          + String.join(", ", known.keySet()) + " and --fabric");
      }
      arguments.put(args[i], args[i + 1]);
    }
    for (String name : known.keySet()) {
      numbers.put(name, positive(name, arguments.get(name)));
    }
    if (isClient() && fabric() != null) {
      FabricCheck.check(fabric());
    }
  }

  private static int positive(String option, String text) throws UsageException {
    try {
      int value = Integer.parseInt(text);
      if (value > 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException(option + " " + text + ": a number above 0");
  }

  /**
   * The main program of such a demo; does not return.
   *
   * @param name as the launcher knows it
   * @param known options with a number above 0, and their defaults
   */
  static void main(String name, Map<String, Integer> known, String[] args, Body body) {
    try (Pair pair = new Pair(known, args)) {
      body.run(pair);
    } catch (UsageException e) {
      System.err.println("demo " + name + ": " + e.getMessage());
      System.exit(2);
    } catch (Exception e) {
      System.out.println("failed: " + DemoNode.cause(e));
      System.exit(1);
    }
    System.exit(0);
  }

  boolean isClient() {
    return arguments.get("--role").equals("client");
  }

  String fabric() {
    return arguments.get("--fabric").isEmpty() ? null : arguments.get("--fabric");
  }

  int number(String option) {
    return numbers.get(option);
  }

  RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric())
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(arguments.get("--group")));
  }

  /** Makes the network stack of this process take the same options, so that it and the application are one node. */
  RdmaOptions forNetworkStack() throws IOException {
    Path file = Files.createTempFile("vertx-rdma-demo", ".json");
    file.toFile().deleteOnExit();
    Files.writeString(file, options().toJson().encode());
    System.setProperty("vertx.rdma.config", file.toString());
    return options();
  }

  /** Starts the same class as the server. @return what it says when it is ready */
  String startServer(Class<?> main) throws IOException {
    List<String> command = CommandLine.java(List.of(), main);
    arguments.forEach((name, value) -> {
      if (!name.equals("--role") && !value.isEmpty()) {
        command.addAll(List.of(name, value));
      }
    });
    command.addAll(List.of("--role", "server"));
    server = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Runtime.getRuntime().addShutdownHook(new Thread(server::destroyForcibly));
    BufferedReader output = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
    for (String line; (line = output.readLine()) != null;) {
      if (line.startsWith(READY)) {
        return line.substring(READY.length());
      }
      System.out.println("server | " + line);
    }
    throw new IOException("the server has ended before it was ready");
  }

  /** In the server: ready, and serves until the client's process ends it, or is gone itself. */
  static void serve(String words) throws IOException {
    System.out.println(READY + words);
    System.out.flush();
    while (System.in.read() >= 0) {
      // Only the end matters.
    }
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      server.getOutputStream().close();
    }
  }
}
