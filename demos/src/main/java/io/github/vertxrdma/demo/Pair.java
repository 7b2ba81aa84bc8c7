package io.github.vertxrdma.demo;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A demo of two processes that find each other in the same-host directory: this one is the client, and starts the server. */
final class Pair implements AutoCloseable {
  private static final String READY = "ready ";

  private final Demo.Pair arguments;
  private final String[] line;
  private Process server;

  private Pair(Demo.Pair arguments, String... line) {
    this.arguments = arguments;
    this.line = line;
  }

  /** The part of a demo in either process. */
  interface Body {
    void run(Pair pair) throws Exception;
  }

  /** Runs such a demo. @param line starts the server's process too @return the status to exit with */
  static int run(Demo.Pair arguments, String[] line, Body body) {
    if (!arguments.server && arguments.fabric != null) {
      FabricCheck.check(arguments.fabric);
    }
    try (Pair pair = new Pair(arguments, line)) {
      body.run(pair);
      return 0;
    } catch (Exception e) {
      System.out.println("failed: " + e);
      return 1;
    }
  }

  boolean isClient() {
    return !arguments.server;
  }

  String fabric() {
    return arguments.fabric;
  }

  RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric())
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(arguments.group));
  }

  /** Makes the network stack of this process take the same options, so that it and the application are one node. */
  RdmaOptions forNetworkStack() throws IOException {
    Path file = Files.createTempFile("vertx-rdma-demo", ".json");
    file.toFile().deleteOnExit();
    Files.writeString(file, options().toJson().encode());
    System.setProperty("vertx.rdma.config", file.toString());
    return options();
  }

  /** Starts the server. @return what it says when it is ready */
  String startServer() throws IOException {
    List<String> command = NodeProcesses.again(List.of(), line);
    command.addAll(List.of("--server", "--group", arguments.group));
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
