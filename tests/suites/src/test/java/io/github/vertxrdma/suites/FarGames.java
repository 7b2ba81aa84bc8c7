package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import java.io.IOException;

/** Two hosts with a common file system: that of {@link AttackedNodes} and that of a {@link FarMember}. */
final class FarGames implements AutoCloseable {
  private static final String FABRIC = "shm";

  private final Networks networks = new Networks(2);
  private final Attacker attacker;

  /** Skips the test if networks are not permitted. */
  FarGames(Attacker attacker) throws InterruptedException {
    this.attacker = attacker;
    String missing = networks.missing();
    if (missing != null) {
      close();
    }
    assumeTrue(missing == null, missing);
  }

  Games.HonestPair pair() {
    return new Games.HonestPair(networks.program(0), AttackedNodes.class, MemberAttackTest.arguments(attacker, FABRIC,
      attacker.folder().resolve("run/shm"), AttackedNodes.HOST, Networks.address(0)));
  }

  FarMember member() throws IOException {
    return FarMember.start(networks.program(1), MemberAttackTest.own(attacker, FABRIC, AttackedNodes.HOST, Networks.address(1)));
  }

  @Override
  public void close() throws InterruptedException {
    networks.close();
  }
}
