package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/** A node of a simulated world: its context, and the part of {@link Rdma} that calls use. */
final class CallNode {

  interface World {
    List<ServiceEntry> instances(String name);

    Future<RdmaConnection> connect(CallNode from, ServiceEntry to);
  }

  final String name;
  final ContextInternal context;
  final Rdma rdma;
  /** Null while the node does not listen. */
  ServiceEntry entry;
  Handler<RdmaConnection> connectHandler;
  boolean dead;

  CallNode(World world, String name, ContextInternal context) {
    this.name = name;
    this.context = context;
    RdmaDirectory directory = proxy(RdmaDirectory.class, (self, method, arguments) -> switch (method.getName()) {
      case "services" -> world.instances((String) arguments[0]);
      case "awaitServices" -> {
        List<ServiceEntry> there = world.instances((String) arguments[0]);
        yield there.isEmpty() ? context.failedFuture("nobody has that name") : context.succeededFuture(there);
      }
      default -> throw new UnsupportedOperationException(method.getName());
    });
    this.rdma = proxy(Rdma.class, (self, method, arguments) -> switch (method.getName()) {
      case "vertx" -> CallConversation.VERTX;
      case "directory" -> context.succeededFuture(directory);
      case "createServer" -> server();
      case "connect" -> world.connect(this, (ServiceEntry) arguments[0]);
      case "isSuspected" -> false;
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  private RdmaServer server() {
    return proxy(RdmaServer.class, (self, method, arguments) -> {
      switch (method.getName()) {
        case "connectHandler" -> connectHandler = handler(arguments[0]);
        case "listen" -> {
          entry = new ServiceEntry((String) arguments[0], name, 1, 0, List.of(), new JsonObject());
          return context.succeededFuture(self);
        }
        case "withdraw" -> {
          entry = null;
          return Future.succeededFuture();
        }
        default -> throw new UnsupportedOperationException(method.getName());
      }
      return self;
    });
  }

  @SuppressWarnings("unchecked")
  private static Handler<RdmaConnection> handler(Object handler) {
    return (Handler<RdmaConnection>) handler;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
