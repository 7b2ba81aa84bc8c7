package io.github.vertxrdma.process;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

public final class StockProcess {
  static final String SERVES = "serves ";
  static final String ANSWER = "answer ";
  static final String LOGGED = "logged ";
  /** Begins a second line for each warning. */
  static final String WARNED = "warned ";
  static final String NOT_STARTED = "not started: ";
  static final String STARTED = "stock.started";

  private static final Logger ROOT = Logger.getLogger("");

  private static HttpClient client;

  private StockProcess() {
  }

  /** Returns whether Vert.x logs that a thread of its own did not run for long, as on a machine with too few processors. */
  static boolean isOfBusyMachine(LogRecord record) {
    return String.valueOf(record.getLoggerName()).endsWith(".BlockedThreadChecker");
  }

  /**
   * Arguments: a port for a client, {@code -} for a server; then system properties as {@code name=value}. With {@value #STARTED}, a client
   * connects after the start of RDMA.
   */
  public static void main(String... arguments) throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    for (int i = 1; i < arguments.length; i++) {
      String[] property = arguments[i].split("=", 2);
      System.setProperty(property[0], property[1]);
    }
    ROOT.addHandler(new Handler() {
      @Override
      public void publish(LogRecord record) {
        if (record.getMessage().contains("; fabrics ")) {
          started.countDown();
        }
        if (!isOfBusyMachine(record)) {
          System.out.println(LOGGED + record.getMessage());
          if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            System.out.println(WARNED + record.getMessage());
          }
        }
      }

      @Override
      public void flush() {
      }

      @Override
      public void close() {
      }
    });
    Vertx vertx;
    try {
      vertx = Vertx.vertx();
    } catch (IllegalStateException e) {
      System.out.println(NOT_STARTED + e.getMessage());
      return;
    }
    if (arguments[0].equals("-")) {
      vertx.createHttpServer().requestHandler(request -> request.response().end("hello")).listen(0, "127.0.0.1")
        .onComplete(server -> System.out.println(SERVES + server.actualPort()), Throwable::printStackTrace);
    } else {
      if (Boolean.getBoolean(STARTED)) {
        started.await();
      }
      // A client without references closes its connections.
      client = vertx.createHttpClient();
      ask(vertx, Integer.parseInt(arguments[0]));
    }
  }

  /** With fabrics for all clients, repeats a request until the connection has moved. On a busy machine the first attempt may fail. */
  private static void ask(Vertx vertx, int port) {
    client.request(HttpMethod.GET, port, "127.0.0.1", "/").compose(request -> request.send().compose(HttpClientResponse::body))
      .onComplete(body -> {
        if (!"all".equals(System.getProperty("vertx.rdma.streams")) || TransportCounters.PROCESS.channels() > 0) {
          System.out.println(ANSWER + body + " with " + TransportCounters.PROCESS);
        } else {
          vertx.setTimer(10, id -> ask(vertx, port));
        }
      }, Throwable::printStackTrace);
  }
}
