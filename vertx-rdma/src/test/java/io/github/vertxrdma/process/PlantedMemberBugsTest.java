package io.github.vertxrdma.process;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.Games;
import io.github.vertxrdma.provider.contract.plants.Plant;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The games of {@link MemberAttackTest} are lost with each of these faults. */
@Timeout(900)
@Tag("full")
class PlantedMemberBugsTest {
  private static final ClassDesc REFUSALS = ClassDesc.of("io.github.vertxrdma.impl.link.Refusals");

  /** @param promise a promise, and a fault that breaks it */
  private record Case(Plant promise, String fabric) {
    @Override
    public String toString() {
      return promise.what() + " (" + fabric + ')';
    }
  }

  /** Returns the faults whose text matches the regular expression {@code attack.promises}. */
  static Stream<Case> promises() {
    return all().filter(each -> each.toString().matches(System.getProperty("attack.promises", ".*")));
  }

  private static Stream<Case> all() {
    return Stream.of(
      new Case(new Plant("no other process joins under the id of a connected node", "impl.peers.ControlAccept.join", "refusal",
        (code, call) -> code.pop().pop2().pop2().aconst_null()), "nio"),
      new Case(new Plant("text of peers is printable in the log", "base.PeerText.of", "isPrintable", answer(true)), "nio"),
      new Case(new Plant("large messages have a limit in all", "impl.link.LargeMessages.admit|lambda$first$0", "fits|mayReceive",
        answer(true)), "nio"),
      new Case(new Plant("peers cause few lines of the log", "impl.link.Refusals.log", "getAsLong", (code, call) -> code.pop().aload(0)
        .getfield(REFUSALS, "loggedAt", ConstantDescs.CD_long).loadConstant(2_000_000_000L).ladd()), "shm"),
      new Case(new Plant("peers write only with the right to it", "impl.region.OwnerSide.execute", "check",
        PlantedMemberBugsTest::withoutAccess), "nio"),
      new Case(new Plant("no operation exceeds the rights of a key", "provider.software.SoftwareRegion.refusal", "permits", answer(true)),
        "nio"),
      new Case(new Plant("a region opens only if the authorizer permits it", "impl.region.OwnerSide.open", "allowed",
        (code, call) -> code.swap().pop().swap().pop().swap().pop()), "nio"),
      new Case(new Plant("a service connects only if the authorizer permits it", "impl.node.LoopService.dispatch", "mayConnect",
        answer(true)), "nio"),
      new Case(new Plant("a peer that reads a part of memory maps no more", "provider.shm.AllocatedFile.expose", "byteSize",
        (code, call) -> code.pop().aload(0).getfield(ClassDesc.of("io.github.vertxrdma.provider.shm.AllocatedFile"), "size",
          ConstantDescs.CD_long)),
        "shm"),
      new Case(new Plant("a peer without the secret is not greeted", "impl.link.AcceptorOpening.greeted", "verify",
        (code, call) -> code.pop2().pop2().pop()), "shm"));
  }

  private static void withoutAccess(CodeBuilder code, InvokeInstruction call) {
    if (call.owner().name().stringValue().endsWith("OwnerSide")) {
      code.pop2();
    } else {
      code.with(call);
    }
  }

  @ParameterizedTest
  @MethodSource("promises")
  void eachBrokenPromiseIsNoticed(Case fault, @TempDir Path folder) throws Exception {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    try (Attacker attacker = Attacker.build();
      HostileMember member = HostileMember.start(folder, MemberAttackTest.own(attacker, fault.fabric))) {
      List<Games.Attack> attacks = fault.fabric.equals("shm")
        ? List.of(Games.overSharedMemory(attacker), Games.withoutSecret(attacker)) : List.of(member);
      String lost = Games.lost(fault.promise, classes, AttackedNodes.class, MemberAttackTest.arguments(attacker, fault.fabric), attacks);
      assertNotNull(lost, "no attacker has found: " + fault);
    }
  }
}
