package io.github.vertxrdma.differential;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Process that uses no fabric: an HTTP server and client, and the event bus. Prints each effect as a line: its name, a tab, and an item.
 * Arguments: none, or the first of eight ports for Hazelcast, of which this process is the only member, and {@code node} if it has a node
 * of this library.
 */
final class Guest {
  private static final int SECONDS = 60;

  private Guest() {
  }

  public static void main(String[] arguments) throws Exception {
    Output.logs();
    Map<Object, Object> properties = new HashMap<>(System.getProperties());
    VertxOptions options = new VertxOptions().setEventLoopPoolSize(1);
    options.getEventBusOptions().setHost("127.0.0.1");
    Vertx vertx = arguments.length == 0 ? Vertx.vertx(options)
      : Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("guest",
        Integer.parseInt(arguments[0]), 8))).buildClustered().await(SECONDS, TimeUnit.SECONDS);
    HttpServer server = vertx.createHttpServer().requestHandler(request -> request.response().end("served")).listen(0, "127.0.0.1")
      .await(SECONDS, TimeUnit.SECONDS);
    HttpClient client = vertx.createHttpClient();
    client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/").compose(HttpClientRequest::send)
      .compose(HttpClientResponse::body).await(SECONDS, TimeUnit.SECONDS);
    vertx.eventBus().consumer("served", message -> message.reply("yes")).completion().await(SECONDS, TimeUnit.SECONDS);
    vertx.eventBus().request("served", "?").await(SECONDS, TimeUnit.SECONDS);
    while (arguments.length > 1 && !(hasFile(".stat") && hasThread("vertx-rdma-files"))) {
      // A node publishes its statistics about a second after its start, and watches its files a few seconds after it.
      Thread.sleep(10);
    }

    item("`isNativeTransportEnabled()`", vertx.isNativeTransportEnabled());
    threads("threads");
    descriptors("descriptors");
    Files.readAllLines(Path.of("/proc/self/maps")).stream().map(line -> line.replaceFirst("(\\S+ +){5}", ""))
      .filter(name -> name.startsWith("/memfd") || name.startsWith(System.getProperty("java.io.tmpdir"))).distinct()
      .forEach(name -> item("mapped files", Path.of(name).getFileName()));
    System.getProperties().forEach((name, value) -> {
      if (!value.equals(properties.get(name))) {
        item("system properties", name);
      }
    });
    Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
    hooks.setAccessible(true);
    ((Map<?, ?>) hooks.get(null)).keySet().forEach(hook -> item("shutdown hooks", ((Thread) hook).getName()));

    client.close().await(SECONDS, TimeUnit.SECONDS);
    vertx.close().await(SECONDS, TimeUnit.SECONDS);
    // Idle threads of a node end after at most two seconds.
    while (Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().matches("(vert.x|vertx-rdma)-.*"))) {
      Thread.sleep(10);
    }
    threads("left after `vertx.close()`");
    descriptors("left after `vertx.close()`");
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      files.forEach(file -> item("left after `vertx.close()`", file.getFileName()));
    }
    Runtime.getRuntime().exit(0);
  }

  private static boolean hasFile(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files.anyMatch(file -> file.toString().endsWith(suffix));
    } catch (UncheckedIOException removed) {
      return false;
    }
  }

  private static boolean hasThread(String name) {
    return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().equals(name));
  }

  private static void item(String effect, Object item) {
    Output.line(effect + '\t' + item);
  }

  /** Prints the threads, except those of Hazelcast, and those that end when they are idle. */
  private static void threads(String effect) {
    Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
      .filter(name -> !name.matches("hz\\..*|.*-NioNetworking-.*|vertx-hazelcast-.*|vertx-rdma-blocking-.*|globalEventExecutor.*"))
      .forEach(name -> item(effect, name));
  }

  /** Prints the last part of each name. The jars of the class path differ. */
  private static void descriptors(String effect) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        if (Files.isSymbolicLink(each)) {
          String target = Files.readSymbolicLink(each).toString();
          if (!target.endsWith(".jar")) {
            item(effect, target.substring(target.lastIndexOf('/') + 1).replaceAll("anon_inode:\\[|:?\\[?[0-9]*]$", ""));
          }
        }
      }
    }
  }
}
