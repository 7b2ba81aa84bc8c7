package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A verticle that once a second greets the others on the clustered event bus, and counts itself on each other's board, a region that each
 * node shares. It prints whom it heard, and over what.
 */
final class Greeter extends VerticleBase {
  private static final String GREETINGS = "greetings";
  private static final long PERIOD_MILLIS = 1000;
  /** In periods. */
  private static final int LONGEST_PAUSE = 60;

  private final String name;
  private final Rdma rdma;
  private final Consumer<String> print;
  private final Runnable heard;
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, Future<RemoteRegion>> boards = new HashMap<>();
  /** Periods to wait before the board of a peer that was not reached is opened again, doubled by each failure. */
  private final Map<String, Integer> pauses = new HashMap<>();
  private NodeStatistics statistics;
  private int greetings;

  /** @param heard told of each greeting of another node */
  Greeter(String name, Rdma rdma, Consumer<String> print, Runnable heard) {
    this.name = name;
    this.rdma = rdma;
    this.print = print;
    this.heard = heard;
  }

  @Override
  public Future<?> start() {
    return look()
      .compose(v -> vertx.eventBus().<JsonObject>consumer(GREETINGS, message -> greeted(message.body())).completion())
      .compose(v -> rdma.createRegion(new RegionOptions().setName(board(name)).setSize(4096)
        .setAccess(Set.of(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC))))
      .compose(board -> rdma.directory())
      .onSuccess(directory -> {
        watch(directory);
        print.accept("is up as " + statistics.nodeId() + " and shares '" + board(name) + "'");
        vertx.setPeriodic(PERIOD_MILLIS, id -> greet());
      });
  }

  private Future<Void> look() {
    return rdma.statistics().map(now -> {
      statistics = now;
      return null;
    });
  }

  private void watch(RdmaDirectory directory) {
    directory.watchNodes(event -> {
      String lost = event.type() == DirectoryEvent.Type.REMOVED ? names.remove(event.entry().nodeId()) : null;
      if (lost != null) {
        print.accept("lost " + lost);
        boards.remove(lost);
        pauses.remove(lost);
      }
    });
  }

  private void greet() {
    look();
    vertx.eventBus().publish(GREETINGS, new JsonObject().put("from", name).put("id", statistics.nodeId()).put("number", ++greetings));
    // By the names that were heard, so that one that is gone is not asked for.
    names.values().stream().distinct().forEach(this::count);
  }

  private void greeted(JsonObject greeting) {
    String from = greeting.getString("from");
    if (!from.equals(name)) {
      String id = greeting.getString("id");
      names.put(id, from);
      print.accept("heard " + from + ", greeting " + greeting.getInteger("number") + ", over " + over(id));
      heard.run();
    }
  }

  /** The way of a peer's messages: the fabric of the connection that its event bus made to this one. */
  private String over(String peer) {
    for (DeviceStatistics device : statistics.devices()) {
      for (ConnectionStatistics connection : device.connections()) {
        if (connection.peer().equals(peer) && !connection.outgoing() && !connection.service().equals("regions")) {
          return device.device() + " (" + device.provider() + ")";
        }
      }
    }
    return "TCP";
  }

  private void count(String peer) {
    Future<RemoteRegion> board = boards.get(peer);
    if (board == null) {
      Future<RemoteRegion> opened = rdma.openRegion(board(peer));
      boards.put(peer, opened);
      opened.onSuccess(region -> pauses.remove(peer)).onFailure(cause -> {
        int pause = pauses.merge(peer, 1, (before, first) -> Math.min(2 * before, LONGEST_PAUSE));
        vertx.setTimer(pause * PERIOD_MILLIS, id -> boards.remove(peer, opened));
      });
    } else if (board.succeeded()) {
      board.result().fetchAndAdd(0, 1).onSuccess(before -> print.accept("counted itself on the board of " + peer + ", which stands at "
        + (before + 1) + ", over " + board.result().fabric())).onFailure(cause -> {
          print.accept("the board of " + peer + " is gone: " + cause.getMessage());
          boards.remove(peer, board);
        });
    }
  }

  private static String board(String node) {
    return "board of " + node;
  }
}
