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
  /** Workers of each lease, by the token of its caller. Each worker, by name, has a promise that completes when it has connected. */
  private final Map<Long, Map<String, Promise<RdmaConnection>>> leases = new HashMap<>();
  private RdmaServer server;
  private RdmaDirectory directory;
  /** Completes with the name of the service. */
  private Future<String> listening;
  private boolean closed;

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
    return listening.compose(name -> {
      List<ServiceEntry> own = directory.services(name);
      if (own.isEmpty()) {
        // This node is temporarily disconnected from its cluster.
        return Future.failedFuture("service '" + name + "', to which cold workers connect, is not in the directory of this node now");
      }
      long token;
      do {
        token = RANDOM.nextLong();
      } while (leases.putIfAbsent(token, new HashMap<>()) != null);
      return Future.succeededFuture(new ColdCaller(directory.self(), own.getFirst(), token));
    });
  }

  private Future<String> listen() {
    server = rdma.createServer().handshakeHandler(this::requested).connectHandler(this::arrived);
    return rdma.directory().compose(opened -> {
      directory = opened;
      String name = "functions-caller/" + directory.nodeId() + '/' + Long.toHexString(RANDOM.nextLong());
      return server.listen(name).map(name);
    });
  }

  private Map<String, Promise<RdmaConnection>> workers(Buffer ticket) {
    return ticket.length() <= 8 ? null : leases.get(ticket.getLongLE(0));
  }

  private void requested(RdmaHandshake request) {
    if (workers(request.privateData()) == null) {
      request.reject("only cold workers of current leases may connect here: this peer is not one of them, or its lease has ended");
    } else {
      request.accept();
    }
  }

  private void arrived(RdmaConnection connection) {
    Buffer ticket = connection.privateData();
    Map<String, Promise<RdmaConnection>> workers = workers(ticket);
    if (workers == null
      || !workers.computeIfAbsent(ticket.getString(8, ticket.length()), name -> Promise.promise()).tryComplete(connection)) {
      connection.close();
    }
  }

  Future<RdmaConnection> worker(ColdCaller caller, String name) {
    Map<String, Promise<RdmaConnection>> workers = leases.get(caller.token());
    if (workers == null) {
      return Future.failedFuture("its lease has ended");
    }
    Promise<RdmaConnection> arrived = workers.remove(name);
    if (arrived != null && arrived.future().isComplete()) {
      return arrived.future();
    }
    Promise<RdmaConnection> awaited = Promise.promise();
    workers.put(name, awaited);
    return awaited.future().onSuccess(used -> workers.remove(name, awaited));
  }

  void forget(ColdCaller caller) {
    Map<String, Promise<RdmaConnection>> workers = leases.remove(caller.token());
    if (workers != null) {
      workers.values().forEach(connection -> {
        if (!connection.tryFail("its lease has ended")) {
          connection.future().result().close();
        }
      });
    }
  }

  Future<Void> close() {
    closed = true;
    return listening == null ? Future.succeededFuture() : listening.transform(v -> server.withdraw()).otherwiseEmpty();
  }
}
