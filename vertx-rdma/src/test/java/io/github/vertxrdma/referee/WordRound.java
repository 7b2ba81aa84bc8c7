package io.github.vertxrdma.referee;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.simulator.referee.CallHistory;
import io.github.vertxrdma.simulator.referee.WordCall;
import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Shares a word, lets clients of several nodes call it, of which one is closed, and revokes it meanwhile. */
public final class WordRound {
  private static final int CLIENTS_OF_EACH = 3;
  private static final int CLOSE_AFTER = 150;
  private static final int REVOKE_AFTER = 350;

  private final Vertx vertx;
  private final Rdma owner;
  private final Use use;
  private final long seed;
  private final CallHistory history = new CallHistory();
  private Function<Rdma, Supplier<Future<RemoteRegion>>> opening;
  private MemoryRegion region;

  public WordRound(Vertx vertx, Rdma owner, Use use, long seed) {
    this.vertx = vertx;
    this.owner = owner;
    this.use = use;
    this.seed = seed;
    opening = node -> WordClient.byName(node, "word " + seed);
  }

  public WordRound openedBy(Function<Rdma, Supplier<Future<RemoteRegion>>> other) {
    opening = other;
    return this;
  }

  /** Runs the event once, after this number of calls. */
  public void when(int calls, Runnable event) {
    history.when(calls, event);
  }

  public MemoryRegion region() {
    return region;
  }

  public List<WordCall> calls() {
    return history.calls();
  }

  /**
   * @param peer the Vert.x of the nodes of clients
   * @param node creates such a node
   * @param plant the bug of clients
   * @return the referee's finding; null if the history is right
   */
  public String play(Vertx peer, Supplier<Rdma> node, Plant plant) throws Exception {
    region = Await.await(owner.createRegion(new RegionOptions().setName("word " + seed).setSize(64)
      .setAccess(use.access().toArray(RegionAccess[]::new))));
    Rdma stays = node.get();
    Rdma leaves = node.get();
    UnaryOperator<Supplier<Future<RemoteRegion>>> planted = opened -> () -> opened.get().map(remote -> plant.into(remote, region));
    List<WordClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS_OF_EACH; i++) {
      clients.add(new WordClient(peer, planted.apply(opening.apply(stays)), use, history, 3 * i + 1, seed));
      clients.add(new WordClient(peer, planted.apply(opening.apply(leaves)), use, history, 3 * i + 2, seed));
      clients.add(new WordClient(vertx, planted.apply(WordClient.byName(owner, region.name())), use, history, 3 * i + 3, seed));
    }
    history.when(CLOSE_AFTER, leaves::close);
    history.when(REVOKE_AFTER, () -> revoke());
    Await.await(Future.all(clients.stream().map(WordClient::run).toList()));
    Await.await(revoke());
    look();
    Await.await(Future.all(clients.stream().map(WordClient::again).toList()));
    look();
    Await.await(leaves.close());
    Await.await(stays.close());
    look();
    Await.await(region.close());
    return use.judge(history.calls());
  }

  private Future<Long> revoke() {
    return WordClient.call(history, WordCall.OWNER, Kind.REVOKE, 0, 0, () -> region.revoke(Duration.ofSeconds(20)).map(0L));
  }

  private void look() {
    if (use == Use.PLAIN && WordClient.isTorn(region.getAcquire(0))) {
      return;
    }
    WordClient.call(history, WordCall.OWNER, Kind.READ, 0, 0, () -> Future.succeededFuture(region.getAcquire(0)));
  }
}
