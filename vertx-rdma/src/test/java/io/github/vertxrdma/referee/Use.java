package io.github.vertxrdma.referee;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.simulator.referee.Referee;
import io.github.vertxrdma.simulator.referee.RegularReferee;
import io.github.vertxrdma.simulator.referee.WordCall;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

public enum Use {
  ATOMIC(Referee::judge, RegionAccess.READ, RegionAccess.ATOMIC),
  PLAIN(RegularReferee::judge, RegionAccess.READ, RegionAccess.WRITE);

  private final Function<List<WordCall>, String> referee;
  private final Set<RegionAccess> access;

  Use(Function<List<WordCall>, String> referee, RegionAccess... access) {
    this.referee = referee;
    this.access = Set.of(access);
  }

  Set<RegionAccess> access() {
    return access;
  }

  /** @return the error of a history, or null */
  public String judge(List<WordCall> calls) {
    return referee.apply(calls);
  }
}
