package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;

final class NioChild {
  private NioChild() {
  }

  public static void main(String[] arguments) {
    try (Domain domain = new NioProvider().discover(new DiscoveryOptions()).devices().getFirst().open();
      Side side = new Side(domain, new PairOptions())) {
      System.out.println("listening " + side.listenAndAccept().localAddress().toInet().getPort());
      while (true) {
        side.poll();
        Thread.onSpinWait();
      }
    }
  }
}
