package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class PlantedRouteBugsTest {
  private static final String ROUTES = "impl.transport.FabricRoutes.";

  static List<Plant> plants() {
    return List.of(
      new Plant("a member that the directory does not know becomes TCP in silence", ROUTES + "route", "at",
        (code, call) -> code.pop().pop2().pop().invokestatic(ClassDesc.of("java.util.List"), "of",
          MethodTypeDesc.of(ClassDesc.of("java.util.List")), true)),
      new Plant("no entry at this moment is no fabric", ROUTES + "route", "queryUnknown", answer(false)),
      new Plant("a member without an entry is not awaited", ROUTES + "missing", "compute",
        (code, call) -> code.pop().pop().pop().loadConstant(-FabricRoutes.START_NANOS)
          .invokestatic(ClassDesc.of("java.lang.Long"), "valueOf",
            MethodTypeDesc.of(ClassDesc.of("java.lang.Long"), ConstantDescs.CD_long))),
      new Plant("a forced fabric falls back", ROUTES + "byTcp", "isForced", answer(false)),
      new Plant("a connection that the fabric failed stays on TCP for its life", ROUTES + "byTcp", "moves", answer(false)),
      new Plant("a connection by TCP is not noted", ROUTES + "byTcp", "tcp", (code, call) -> code.pop2().pop2().pop2()),
      new Plant("a forced fabric is not tried after a failure", ROUTES + "route", "isForced", answer(false)),
      new Plant("the node that the cluster manager names is not preferred", ROUTES + "servers", "isOfMember", answer(false)),
      new Plant("servers of the rule are for everybody", ROUTES + "servers", "isForClients", answer(true)));
  }

  @Test
  void everySituationHasItsAnswer() throws Exception {
    for (long seed : LongStream.range(0, RouteConversation.count()).toArray()) {
      assertNull(RouteConversation.found(seed));
    }
  }

  @ParameterizedTest
  @MethodSource("plants")
  void isFound(Plant plant) throws Exception {
    plant.isFoundBy(RouteConversation.class, RouteConversation.count());
  }
}
