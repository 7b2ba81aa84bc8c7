package io.github.vertxrdma.provider.shm;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The games of {@link AttackGamesTest} fail with each of these faults. */
@Timeout(900)
@Tag("full")
class PlantedAttackBugsTest {
  private static final ClassDesc DESCRIPTOR = ClassDesc.of("io.github.vertxrdma.provider.ffi.FileDescriptor");

  static Stream<Plant> promises() {
    return List.of(
      new Plant("a request is answered through the rings of a process only if that process sent it", "provider.shm.ShmQueue.provenBy",
        "proves", answer(true)),
      new Plant("a record reaches only connections with its sender", "provider.shm.QueueLink.handle", "link",
        (code, call) -> code.pop().aload(0)),
      new Plant("memory that a peer can take away is not mapped", "provider.shm.ReceivedDescriptor.map", "seals",
        (code, call) -> code.pop().iconst_m1().iconst_1().iushr()),
      new Plant("closing what a peer sent delays no loop", "provider.shm.StrayDescriptors.close", "add",
        PlantedAttackBugsTest::closeHere),
      new Plant("descriptors of refused messages do not stay open", "provider.shm.StrayDescriptors.add", "execute",
        (code, call) -> code.pop2()))
      .stream();
  }

  private static void closeHere(CodeBuilder code, InvokeInstruction call) {
    code.swap().pop().invokestatic(DESCRIPTOR, "close", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int));
  }

  @ParameterizedTest
  @MethodSource("promises")
  void gamesFailWithEachFault(Plant fault, @TempDir Path classes) throws Exception {
    try (Attacker attacker = Attacker.build()) {
      Attacker other = attacker.otherUser();
      Games.Attack attack = Games.overSharedMemory(other);
      Games.HonestPair pair = new Games.HonestPair(AttackedPair.class, List.of(MeetingFolder.GROUP, Attacker.GROUP, MeetingFolder.FOLDER,
        attacker.folder().resolve("meeting").toString()));
      String failure = Games.failureWith(fault, classes, pair, List.of(attack, attack));
      assertNotNull(failure, "no attacker has found: " + fault.what());
    }
  }
}
