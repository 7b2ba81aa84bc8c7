package io.github.vertxrdma.referee;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.referee.Call.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The life of one word: shared, called by clients of several nodes, of which one is closed in between, and revoked while they call. */
public final class WordRound {
  private static final int CLIENTS_OF_EACH = 3;
  private static final int CLOSE_AFTER = 150;
  private static final int REVOKE_AFTER = 350;

  private final Vertx vertx;
  private final Rdma owner;
  private final History history = new History();

  /** @param owner of the word, a node of that Vert.x */
  public WordRound(Vertx vertx, Rdma owner) {
    this.vertx = vertx;
    this.owner = owner;
  }

  public List<Call> calls() {
    return history.calls();
  }

  /**
   * Plays it.
   *
   * @param peer the Vert.x of the nodes of clients
   * @param node makes one of them
   * @param plant the bug that clients meet
   * @return what the referee has to say; null if the history is right
   */
  public String play(Vertx peer, Supplier<Rdma> node, Plant plant, long seed) throws Exception {
    MemoryRegion region = Await.await(owner.createRegion(new RegionOptions().setName("word " + seed).setSize(64)
      .setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
    Rdma stays = node.get();
    Rdma leaves = node.get();
    UnaryOperator<RemoteRegion> through = remote -> plant.into(remote, region);
    List<WordClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS_OF_EACH; i++) {
      clients.add(new WordClient(peer, stays, region.name(), history, 3 * i + 1, through, seed));
      clients.add(new WordClient(peer, leaves, region.name(), history, 3 * i + 2, through, seed));
      clients.add(new WordClient(vertx, owner, region.name(), history, 3 * i + 3, through, seed));
    }
    history.when(CLOSE_AFTER, leaves::close);
    history.when(REVOKE_AFTER, () -> revoke(region));
    Await.await(Future.all(clients.stream().map(WordClient::run).toList()));
    Await.await(revoke(region));
    look(region);
    Await.await(Future.all(clients.stream().map(WordClient::again).toList()));
    look(region);
    Await.await(leaves.close());
    Await.await(stays.close());
    look(region);
    Await.await(region.close());
    return Referee.judge(history.calls());
  }

  private Future<Long> revoke(MemoryRegion region) {
    return history.call(Call.OWNER, Kind.REVOKE, 0, 0, () -> region.revoke(Duration.ofSeconds(20)).map(0L));
  }

  private void look(MemoryRegion region) {
    history.call(Call.OWNER, Kind.READ, 0, 0, () -> Future.succeededFuture(region.getAcquire(0)));
  }
}
