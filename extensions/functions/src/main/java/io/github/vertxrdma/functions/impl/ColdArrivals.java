package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaHandshake;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Accepts connections of cold workers at the client. These processes are not in the directory, so they connect to the client. */
final class ColdArrivals {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Rdma rdma;
  private final Map<Long, Lease> leases = new HashMap<>();
  private RdmaServer server;
  private Future<Listening> listening;
  private boolean closed;

  private record Listening(RdmaDirectory directory, String name) {
  }

  private static final class Lease {
    final Map<String, RdmaConnection> here = new HashMap<>();
    final Map<String, Promise<RdmaConnection>> awaited = new HashMap<>();
  }

  ColdArrivals(Rdma rdma) {
    this.rdma = rdma;
  }

  Future<ColdCaller> expect() {
    if (closed) {
      return Future.failedFuture("the client is closed");
    }
    if (listening == null || listening.failed()) {
      listening = listen();
    }
    return listening.compose(at -> {
      List<ServiceEntry> own = at.directory.services(at.name);
      if (own.isEmpty()) {
        // This node is temporarily disconnected from its cluster.
        return Future.failedFuture("service '" + at.name + "', to which cold workers connect, is not in the directory of this node now");
      }
      long token;
      do {
        token = RANDOM.nextLong();
      } while (leases.putIfAbsent(token, new Lease()) != null);
      return Future.succeededFuture(new ColdCaller(at.directory.self(), own.getFirst(), token));
    });
  }

  private Future<Listening> listen() {
    server = rdma.createServer().handshakeHandler(this::requested).connectHandler(this::arrived);
    return rdma.directory().compose(directory -> {
      String name = "functions-caller/" + directory.nodeId() + '/' + Long.toHexString(RANDOM.nextLong());
      return server.listen(name).map(v -> new Listening(directory, name));
    });
  }

  private Lease lease(Buffer ticket) {
    return ticket.length() <= 8 ? null : leases.get(ticket.getLongLE(0));
  }

  private static String worker(Buffer ticket) {
    return ticket.getString(8, ticket.length());
  }

  private void requested(RdmaHandshake request) {
    if (lease(request.privateData()) == null) {
      request.reject("only cold workers of current leases may connect here: this peer is not one of them, or its lease has ended");
    } else {
      request.accept();
    }
  }

  private void arrived(RdmaConnection connection) {
    Lease lease = lease(connection.privateData());
    if (lease == null) {
      connection.close();
      return;
    }
    String worker = worker(connection.privateData());
    Promise<RdmaConnection> awaited = lease.awaited.remove(worker);
    if (awaited != null) {
      awaited.complete(connection);
    } else if (lease.here.putIfAbsent(worker, connection) != null) {
      connection.close();
    }
  }

  Future<RdmaConnection> worker(ColdCaller caller, String name) {
    Lease lease = leases.get(caller.token());
    RdmaConnection here = lease == null ? null : lease.here.remove(name);
    if (lease == null || here != null) {
      return lease == null ? Future.failedFuture("its lease has ended") : Future.succeededFuture(here);
    }
    Promise<RdmaConnection> promise = Promise.promise();
    lease.awaited.put(name, promise);
    return promise.future();
  }

  void forget(ColdCaller caller) {
    Lease lease = leases.remove(caller.token());
    if (lease != null) {
      lease.here.values().forEach(RdmaConnection::close);
      lease.awaited.values().forEach(promise -> promise.fail("its lease has ended"));
    }
  }

  Future<Void> close() {
    closed = true;
    return listening == null ? Future.succeededFuture() : listening.transform(v -> server.withdraw()).otherwiseEmpty();
  }
}
