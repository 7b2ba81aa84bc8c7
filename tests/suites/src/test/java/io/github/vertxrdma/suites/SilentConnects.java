package io.github.vertxrdma.suites;

import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.attack.NioFlood;

/** Connects of many sources that prove nothing, and stay open between games. */
final class SilentConnects implements Games.LastingAttack {
  private NioFlood flood;

  @Override
  public void play(Games.Invitation to, int game, long seed) throws Exception {
    if (flood == null) {
      flood = new NioFlood(to.ports().getFirst());
      Await.until("the flood waits", () -> flood.sent() >= NioFlood.COUNT);
    }
    int before = flood.sent();
    Await.until("the flood goes on", () -> flood.sent() > before + NioFlood.OF_EACH);
  }

  @Override
  public void close() {
    if (flood != null) {
      flood.close();
      flood = null;
    }
  }
}
