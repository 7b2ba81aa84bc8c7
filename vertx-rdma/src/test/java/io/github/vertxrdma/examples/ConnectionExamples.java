package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionAccess;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** The code of docs/connections.adoc. */
final class ConnectionExamples {
  private ConnectionExamples() {
  }

  // tag::authorize[]
  static RdmaOptions readers(Set<String> writers) {
    return new RdmaOptions().setAuthorizer(new RdmaAuthorizer() {
      @Override
      public boolean mayOpen(String nodeId, String region, RegionAccess access) {
        return access == RegionAccess.READ || writers.contains(nodeId);
      }
    });
  }
  // end::authorize[]

  // tag::serve[]
  static Future<RdmaServer> serve(Rdma rdma) {
    return rdma.createServer()
      .handshakeHandler(request -> {
        if (request.privateData().toString().equals("version 2")) {
          request.accept(Buffer.buffer("welcome"));
        } else {
          request.reject("only version 2 is spoken here");
        }
      })
      .connectHandler(connection -> connection
        .handler(message -> connection.write(message))
        .endHandler(ended -> connection.end()))
      .listen("orders");
  }
  // end::serve[]

  // tag::connect[]
  static Future<RdmaConnection> connect(Rdma rdma) {
    return rdma.connect("orders", new RdmaConnectOptions().setPrivateData(Buffer.buffer("version 2")));
  }
  // end::connect[]

  // tag::reconnect[]
  /** Receives prices while any instance sends them. */
  static Future<Void> follow(Rdma rdma, Handler<Buffer> prices) {
    return rdma.connect("prices", new RdmaConnectOptions().setReconnectAttempts(-1))
      .onSuccess(connection -> follow(connection, prices))
      .mapEmpty();
  }

  private static void follow(RdmaConnection connection, Handler<Buffer> prices) {
    connection.handler(prices).reconnectHandler(next -> follow(next, prices));
    connection.write(Buffer.buffer("subscribe"));
  }
  // end::reconnect[]

  // tag::send[]
  /** Completes when the peer has the last byte of the file. */
  static Future<Void> send(AsyncFile file, RdmaConnection connection) {
    return file.pipeTo(connection);
  }
  // end::send[]

  // tag::flush[]
  /** Completes when the peer has both orders. */
  static Future<Void> place(RdmaConnection connection, Buffer first, Buffer second) {
    connection.write(first);
    connection.write(second);
    return connection.flush();
  }
  // end::flush[]

  // tag::request[]
  static Future<RdmaServer> prices(Rdma rdma, Function<Buffer, Future<Buffer>> price) {
    return rdma.createServer().connectHandler(connection -> connection.requestHandler(price)).listen("prices");
  }

  static Future<Buffer> price(RdmaConnection connection, String article) {
    return connection.request(Buffer.buffer(article), Duration.ofMillis(500));
  }
  // end::request[]

  // tag::zero-copy[]
  /** Writes large messages to the disk from registered memory. */
  static void store(RdmaConnection connection, AsyncFile file) {
    connection.messageHandler(message -> file.write(message.retain().body()).onComplete(written -> message.release()));
  }
  // end::zero-copy[]

  // tag::view[]
  /** Adds up numbers in the memory that holds the message. */
  static void sum(RdmaConnection connection, LongConsumer sums) {
    connection.messageHandler(message -> sums.accept(message.segment().elements(ValueLayout.JAVA_LONG_UNALIGNED)
      .mapToLong(number -> number.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).sum()));
  }
  // end::view[]

  // tag::make[]
  /** A message that is written in registered memory, and sent without a copy. */
  static Future<Void> table(RdmaConnection connection, int rows) {
    return connection.allocate(rows * Long.BYTES).compose(message -> {
      for (int row = 0; row < rows; row++) {
        message.body().appendLong(row);
      }
      return connection.write(message);
    });
  }
  // end::make[]
}
