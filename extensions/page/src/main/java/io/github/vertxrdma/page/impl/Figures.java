package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Requests statistics from all nodes, once a period while a browser is connected, and sends them to each browser. Confined to one context.
 */
public final class Figures {
  private static final int MAX_VIEWERS = 64;
  private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Vertx vertx;
  private final Context context;
  private final FigureSource source;
  private final long periodMillis;
  private final Set<Viewer> viewers = new HashSet<>();
  private final Map<String, NodeFigures> nodes = new HashMap<>();
  private final ChartHistory history = new ChartHistory();
  private long timer = -1;
  private boolean asking;
  private boolean closed;

  /** A connected browser. Confined to the context of its request. */
  private static final class Viewer {
    final HttpConnection connection;
    final HttpServerResponse response;
    final Context context;
    /** {@code nanoTime} at which the browser stopped reading; 0 while it reads. */
    long fullSince;

    Viewer(HttpServerRequest request, Context context) {
      this.connection = request.connection();
      this.response = request.response();
      this.context = context;
    }

    boolean isGone() {
      return response.closed() || response.ended();
    }
  }

  public Figures(Vertx vertx, FigureSource source, long periodMillis) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.source = source;
    this.periodMillis = periodMillis;
  }

  /** Adds a browser until the response is closed, on the context of the request. Returns false if there are too many. */
  boolean join(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    Viewer viewer = new Viewer(request, vertx.getOrCreateContext());
    synchronized (viewers) {
      if (closed || viewers.size() >= MAX_VIEWERS) {
        return false;
      }
      viewers.add(viewer);
    }
    response.closeHandler(v -> leave(viewer)).exceptionHandler(cause -> leave(viewer));
    // Starts the response now: proxies and browsers may not wait for the first statistics.
    response.write(": vertx-rdma\n\nretry: 1000\n\n");
    context.runOnContext(v -> {
      if (timer < 0 && !closed) {
        timer = vertx.setPeriodic(1, periodMillis, id -> ask());
      }
      history.sendAll();
    });
    return true;
  }

  private void leave(Viewer viewer) {
    context.runOnContext(v -> {
      if (remove(viewer)) {
        stop();
      }
    });
  }

  private boolean remove(Viewer viewer) {
    synchronized (viewers) {
      viewers.remove(viewer);
      return viewers.isEmpty();
    }
  }

  Set<HttpConnection> viewed() {
    return viewers().stream().map(viewer -> viewer.connection).collect(Collectors.toSet());
  }

  private List<Viewer> viewers() {
    synchronized (viewers) {
      return List.copyOf(viewers);
    }
  }

  private void stop() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
      nodes.clear();
      history.clear();
    }
  }

  private void ask() {
    if (!asking) {
      asking = true;
      source.entries().compose(this::askAll).onComplete(done -> {
        asking = false;
        if (done.failed()) {
          send("event: failure\ndata: " + String.valueOf(done.cause().getMessage()).replaceAll("[\\r\\n]+", " ") + "\n\n");
        }
      });
    }
  }

  /** Requests statistics from all nodes. Answers after four fifths of the period are sent with the next event. */
  private Future<Void> askAll(FigureSource.Entries entries) {
    long now = System.nanoTime();
    List<Future<?>> asked = new ArrayList<>();
    Set<String> there = new HashSet<>();
    boolean first = nodes.isEmpty();
    for (NodeEntry entry : entries.nodes()) {
      there.add(entry.nodeId());
      NodeFigures node = nodes.computeIfAbsent(entry.nodeId(), id -> new NodeFigures());
      if (!first && (node.entry() == null || node.isGone())) {
        history.addEvent(entry, "has joined");
      }
      node.entry(entry);
      asked.add(node.ask(source));
    }
    nodes.values().removeIf(node -> node.goneNanos(now) > GONE_NANOS);
    nodes.forEach((id, node) -> {
      if (!there.contains(id) && !node.isGone()) {
        node.gone(now);
        history.addEvent(node.entry(), "has left");
      }
    });
    Promise<Void> enough = Promise.promise();
    long patience = vertx.setTimer(Math.max(1, periodMillis * 4 / 5), id -> enough.tryComplete());
    Future.join(asked).onComplete(all -> enough.tryComplete());
    return enough.future().map(v -> {
      vertx.cancelTimer(patience);
      if (timer >= 0) {
        send("data: " + new Picture(entries, nodes, history, periodMillis).json().encode() + "\n\n");
      }
      return null;
    });
  }

  private void send(String event) {
    viewers().forEach(viewer -> viewer.context.runOnContext(v -> send(viewer, event)));
  }

  /** Sends an event, unless the browser has not read earlier ones. */
  private void send(Viewer viewer, String event) {
    if (viewer.isGone()) {
      // No handler reports a connection that closed before the browser was added.
      leave(viewer);
    } else if (!viewer.response.writeQueueFull()) {
      viewer.fullSince = 0;
      viewer.response.write(event);
    } else if (viewer.fullSince == 0) {
      viewer.fullSince = System.nanoTime();
    } else if (System.nanoTime() - viewer.fullSince > PATIENCE_NANOS) {
      viewer.response.reset();
      leave(viewer);
    }
  }

  public void close() {
    List<Viewer> all;
    synchronized (viewers) {
      closed = true;
      all = List.copyOf(viewers);
      viewers.clear();
    }
    all.forEach(viewer -> viewer.context.runOnContext(v -> {
      if (!viewer.isGone()) {
        viewer.response.end();
      }
    }));
    context.runOnContext(v -> stop());
  }
}
