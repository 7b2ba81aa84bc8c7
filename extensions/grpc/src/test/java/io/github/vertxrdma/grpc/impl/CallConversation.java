package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.grpc.Balancing;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Clients and servers of calls in virtual time, determined by one seed. Applications call, serve, read slowly, cancel and throw;
 * connections delay and break; servers close, die and return; some peers send random frames. Each call ends once, with a reason, and
 * nothing is left.
 */
final class CallConversation implements SimulatedConnection.Watcher, CallNode.World {
  static final String NAME = "calls";
  static final String LIAR = "liar";
  static final int LARGEST = 1_000;
  private static final int WORDS = 400;
  static final VertxInternal VERTX = vertx();

  final CallTime time = new CallTime();
  final Map<Object, Long> ends = new HashMap<>();
  private final SplittableRandom random;
  private final boolean calm;
  private final long travel;
  private final int callWindow;
  private final int serverWindow;
  private final int maxCalls;
  private final Balancing balancing;
  private final List<CallNode> nodes = new ArrayList<>();
  private final Map<CallNode, RdmaGrpcServer> servers = new LinkedHashMap<>();
  private final Map<CallNode, RdmaGrpcClient> clients = new LinkedHashMap<>();
  private final List<SimulatedConnection> connections = new ArrayList<>();
  private final Map<SimulatedConnection, CallMonitor> monitors = new HashMap<>();
  private final List<CallLiar> liars = new ArrayList<>();
  private final List<CallTalk> talks = new ArrayList<>();
  private final List<CallService> services = new ArrayList<>();
  /** The frames of the last attempt of each call. */
  private final Map<Integer, CallMonitor.Call> frames = new HashMap<>();
  private final Map<Integer, Integer> served = new HashMap<>();
  private final ArrayDeque<String> words;
  private CallMonitor.Call arrived;
  private boolean disturbed;
  private int shutdowns;
  private String violation;

  /** @param traced whether the last events are kept as text */
  CallConversation(long seed, boolean traced) {
    random = new SplittableRandom(seed);
    words = traced ? new ArrayDeque<>() : null;
    calm = random.nextInt(4) == 0;
    travel = 1 + random.nextLong(TimeUnit.MICROSECONDS.toNanos(random.nextBoolean() ? 20 : 8_000));
    callWindow = 1 + random.nextInt(5);
    serverWindow = 1 + random.nextInt(5);
    maxCalls = 1 + random.nextInt(random.nextBoolean() ? 3 : 30);
    balancing = Balancing.values()[random.nextInt(Balancing.values().length)];
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      serve();
    }
    node("liar").entry = new ServiceEntry(LIAR, "liar", 1, 0, List.of(), new JsonObject());
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      CallNode node = node("client");
      clients.put(node, new ClientImpl(node.rdma, new RdmaGrpcClientOptions().setCallWindow(callWindow).setMaxMessageSize(LARGEST)
        .setBalancing(balancing).setMaxMetadataSize(200).setIdempotentMethods(List.of("a.Service/Echo"))
        .setInitialBackoff(Duration.ofMillis(random.nextInt(20))), random.split()::nextDouble));
    }
  }

  private static VertxInternal vertx() {
    // Locals are registered before the first Vert.x is created.
    CallLocal.KEY.hashCode();
    return (VertxInternal) Vertx.vertx();
  }

  /** Returns the failure of a seed's conversation; null for none. Called by a class loader that has planted a bug. */
  static String found(long seed) {
    try {
      new CallConversation(seed, false).run();
      return null;
    } catch (AssertionError | RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  String text() {
    return words == null ? "" : String.join("\n", words);
  }

  void say(Object what) {
    if (words != null && violation == null) {
      if (words.size() == WORDS) {
        words.poll();
      }
      words.add(time.now() / 1000 + " us  " + what);
    }
  }

  void violated(String what) {
    if (violation == null) {
      say(what);
      violation = what;
    }
  }

  /** Returns whether a call may fail with UNAVAILABLE. A stream is not repeated at another server. */
  boolean mayBeUnavailable(boolean stream) {
    return disturbed || stream && shutdowns > 0;
  }

  private CallNode node(String kind) {
    ContextInternal context = VERTX.contextBuilder().withThreadingModel(ThreadingModel.EVENT_LOOP).withEventLoop(time.eventLoop()).build();
    CallNode node = new CallNode(this, kind + nodes.size(), context);
    context.exceptionHandler(thrown -> {
      if (!"thrown".equals(thrown.getMessage())) {
        violated("thrown at " + node.name + ": " + thrown + " at "
          + List.of(thrown.getStackTrace()).subList(0, Math.min(4, thrown.getStackTrace().length)));
      }
    });
    nodes.add(node);
    return node;
  }

  private void serve() {
    CallNode node = node("server");
    node.context.runOnContext(v -> {
      RdmaGrpcServer server = RdmaGrpcServer.create(node.rdma, new RdmaGrpcServerOptions().setCallWindow(serverWindow)
        .setMaxCalls(maxCalls).setMaxMessageSize(LARGEST).setMaxMetadataSize(200));
      servers.put(node, server);
      server.callHandler(call -> serve(node, call));
      server.listen(NAME);
    });
    time.pass(0);
  }

  private void serve(CallNode node, GrpcServerRequest<Buffer, Buffer> call) {
    String header = call.headers().get(CallTalk.ID);
    int id = header == null ? 0 : Integer.parseInt(header);
    if (id > 0 && served.merge(id, 1, Integer::sum) > 1 && talks.get(id - 1).kind != CallTalk.Kind.Echo) {
      violated(talks.get(id - 1) + " was executed twice");
    }
    CallService service = new CallService(this, node, id, call, random.split());
    services.add(service);
    service.serve();
  }

  int countOf(int id) {
    return id == 0 ? 3 : talks.get(id - 1).count;
  }

  private void kill(CallNode node) {
    say("killed: " + node.name);
    disturbed = true;
    node.dead = true;
    node.entry = null;
    connections.stream().filter(each -> each.client.node == node || each.server.node == node)
      .forEach(each -> each.breakUp(random, TimeUnit.MILLISECONDS.toNanos(20)));
  }

  @Override
  public List<ServiceEntry> instances(String name) {
    return nodes.stream().map(node -> node.entry).filter(entry -> entry != null && entry.name().equals(name)).toList();
  }

  @Override
  public Future<RdmaConnection> connect(CallNode from, ServiceEntry entry) {
    Promise<RdmaConnection> promise = from.context.promise();
    CallNode to = nodes.stream().filter(node -> node.name.equals(entry.nodeId()) || node.entry == entry).findFirst().orElseThrow();
    time.after(random.nextLong(travel * 2), () -> {
      if (from.dead || to.dead || to.entry == null) {
        promise.fail(new RdmaException(Reason.UNREACHABLE, "nobody is there"));
        return;
      }
      SimulatedConnection connection = new SimulatedConnection(time, random, from, to, this, travel);
      connections.add(connection);
      if (to.connectHandler == null) {
        liars.add(new CallLiar(connection.server, random.split()));
      } else {
        monitors.put(connection, new CallMonitor(this::violated));
        to.context.dispatch(connection.server.connection, to.connectHandler);
      }
      time.after(random.nextLong(travel), () -> promise.complete(connection.client.connection));
    });
    return promise.future();
  }

  private void lieTo(CallNode server) {
    disturbed = true;
    SimulatedConnection connection = new SimulatedConnection(time, random, node("stranger"), server, this, travel);
    connections.add(connection);
    server.context.dispatch(connection.server.connection, server.connectHandler);
    liars.add(new CallLiar(connection.client, random.split()));
  }

  private static int side(SimulatedConnection.End end) {
    return end == end.of().client ? 0 : 1;
  }

  @Override
  public void written(SimulatedConnection.End by, Buffer message) {
    CallMonitor monitor = monitors.get(by.of());
    if (words != null) {
      say(by.connection + ": " + told(message));
    }
    if (monitor != null) {
      CallMonitor.Call begun = monitor.written(side(by), message);
      if (begun != null) {
        CallFrame.Call frame = (CallFrame.Call) new FrameReader(Integer.MAX_VALUE).frame(message, false);
        frames.put(Integer.parseInt(frame.head().metadata().get(CallTalk.ID)), begun);
      }
    }
  }

  private static String told(Buffer message) {
    try {
      return new FrameReader(Integer.MAX_VALUE).frame(message, false).toString();
    } catch (FrameException e) {
      return e.getMessage();
    }
  }

  @Override
  public void arriving(SimulatedConnection.End at, Buffer message) {
    CallMonitor monitor = monitors.get(at.of());
    arrived = monitor == null ? null : monitor.arriving(side(at), message);
  }

  @Override
  public void arrived(SimulatedConnection.End at) {
    if (arrived != null && !at.isOver()) {
      monitors.get(at.of()).holds(side(at), arrived);
    }
  }

  void taken(int id, int side) {
    CallMonitor.Call call = frames.get(id);
    if (call != null) {
      call.taken[side]++;
    }
  }

  void ended(CallTalk talk, GrpcStatus status, Throwable cause) {
    say(talk + " has ended: " + (cause == null ? status : cause));
    ends.merge(status == null ? "NONE" : status, 1L, Long::sum);
  }

  private <T> T any(List<T> of) {
    return of.isEmpty() ? null : of.get(random.nextInt(of.size()));
  }

  private void happen() {
    int what = random.nextInt(100);
    if (what < 60) {
      call(!calm && random.nextInt(5) == 0);
    } else if (calm) {
      if (what < 63 && shutdowns < 2) {
        shutDown();
      }
    } else if (what < 75) {
      CallLiar liar = any(liars);
      if (liar != null) {
        liar.lie();
      }
    } else if (what < 85) {
      SimulatedConnection connection = any(connections);
      if (connection != null) {
        connection.hold(random.nextLong(TimeUnit.MILLISECONDS.toNanos(50)));
      }
    } else if (what < 89) {
      SimulatedConnection connection = any(connections);
      if (connection != null) {
        say("breaks: " + connection.client.connection);
        disturbed = true;
        connection.breakUp(random, TimeUnit.MILLISECONDS.toNanos(20));
      }
    } else if (what < 93) {
      CallNode server = any(List.copyOf(servers.keySet()));
      if (!server.dead && server.entry != null) {
        lieTo(server);
      }
    } else if (what < 96) {
      leave();
    } else {
      serve();
    }
  }

  private void call(boolean toLiar) {
    CallNode node = any(List.copyOf(clients.keySet()));
    CallTalk talk = new CallTalk(this, talks.size() + 1, node, toLiar, random.split());
    talks.add(talk);
    say(talk + " begins");
    node.context.runOnContext(v -> talk.start(clients.get(node)));
  }

  /** Shuts down one of several servers. No unary call may fail by that. */
  private void shutDown() {
    CallNode server = any(servers.keySet().stream().filter(node -> node.entry != null).toList());
    serve();
    shutdowns++;
    say("shuts down: " + server.name);
    server.context.runOnContext(v -> servers.get(server).shutdown(Duration.ofMinutes(1)));
  }

  private void leave() {
    CallNode server = any(servers.keySet().stream().filter(node -> !node.dead && node.entry != null).toList());
    if (server == null) {
      return;
    }
    disturbed = true;
    switch (random.nextInt(3)) {
      case 0 -> kill(server);
      case 1 -> server.context.runOnContext(v -> servers.get(server).close());
      default -> {
        Duration grace = Duration.ofMillis(random.nextInt(100));
        server.context.runOnContext(v -> servers.get(server).shutdown(grace));
      }
    }
    serve();
  }

  void run() {
    for (int i = 20 + random.nextInt(60); i > 0 && violation == null; i--) {
      happen();
      time.pass(
        random.nextInt(8) == 0 ? random.nextLong(TimeUnit.MILLISECONDS.toNanos(40)) : random.nextLong(TimeUnit.MICROSECONDS.toNanos(200)));
    }
    // All services and readers end within this time.
    time.pass(TimeUnit.SECONDS.toNanos(5));
    talks.stream().filter(talk -> !talk.toLiar && !talk.isOver()).forEach(talk -> violated("never ended: " + talk));
    services.stream().filter(service -> service.id > 0 && !service.isOver() && !service.node.dead)
      .forEach(service -> violated("never ended: " + service));
    List<Future<Void>> closing = new ArrayList<>();
    clients.forEach((node, client) -> node.context.runOnContext(v -> closing.add(client.close())));
    servers.forEach((node, server) -> node.context.runOnContext(v -> closing.add(server.shutdown(Duration.ofSeconds(1)))));
    if (time.pass(TimeUnit.SECONDS.toNanos(20))) {
      violated("timers are left");
    }
    talks.stream().filter(talk -> !talk.isOver()).forEach(talk -> violated("never ended: " + talk));
    services.stream().filter(service -> !service.isOver()).forEach(service -> violated("never ended: " + service));
    if (closing.size() != clients.size() + servers.size() || !closing.stream().allMatch(Future::isComplete)) {
      violated("a client or a server has not closed");
    }
    if (violation != null) {
      throw new AssertionError(violation);
    }
  }
}
