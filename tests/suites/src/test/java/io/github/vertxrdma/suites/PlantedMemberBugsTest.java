package io.github.vertxrdma.suites;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The games of {@link MemberAttackTest} fail with each of these faults. */
@Timeout(900)
@Tag("full")
class PlantedMemberBugsTest {
  private static final ClassDesc REFUSALS = ClassDesc.of("io.github.vertxrdma.impl.link.Refusals");

  private enum By {
    /** The C program, with and without the secret. */
    PROGRAM,
    MEMBER, SILENT_CONNECTS
  }

  /** @param promise a promise, and a fault that breaks it */
  private record Case(Plant promise, String fabric, By by) {
    /** A member attacks over nio, and the program over shared memory. */
    Case(Plant promise, String fabric) {
      this(promise, fabric, fabric.equals("shm") ? By.PROGRAM : By.MEMBER);
    }

    List<Games.Attack> attacks(Attacker attacker, Path classes) throws Exception {
      String[] arguments = MemberAttackTest.own(attacker, fabric);
      return switch (by) {
        case PROGRAM -> List.of(Games.overSharedMemory(attacker), Games.withoutSecret(attacker));
        case MEMBER -> List.of(HostileMember.start(classes, arguments));
        case SILENT_CONNECTS -> List.of(new SilentConnects());
      };
    }

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
        (code, call) -> code.pop2().pop2().pop()), "shm"),
      new Case(new Plant("unproven connects of many sources keep no peer out", "impl.link.LinkListener.requested", "source",
        (code, call) -> code.pop().loadConstant("one source")), "nio", By.SILENT_CONNECTS),
      new Case(new Plant("a client that disconnects frees its workers", "functions.impl.ServerSession.closed", "end",
        (code, call) -> code.pop().pop().pop().pop().aconst_null()), "nio"),
      new Case(new Plant("a compressed message needs little memory", "grpc.impl.Gzip.decompress", "readNBytes",
        (code, call) -> code.pop().invokevirtual(ClassDesc.of("java.io.InputStream"), "readAllBytes",
          MethodTypeDesc.of(ConstantDescs.CD_byte.arrayType()))),
        "nio"));
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
  void gamesFailWithEachFault(Case fault, @TempDir Path folder) throws Exception {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    try (Attacker attacker = Attacker.build()) {
      String failure = Games.failureWith(fault.promise, classes, MemberAttackTest.pair(attacker, fault.fabric),
        fault.attacks(attacker, folder));
      assertNotNull(failure, "no attacker has found: " + fault);
    }
  }

  @Test
  void gamesFailIfServersAtLoopbackAreReachedFromOtherHosts(@TempDir Path classes) throws Exception {
    Plant fault = new Plant("a server at a loopback address is reached only from its own host", "impl.node.ConnectionProofs.mayHave",
      "isNear", answer(true));
    try (Attacker attacker = Attacker.build(); FarGames far = new FarGames(attacker)) {
      assertNotNull(Games.failureWith(fault, classes, far.pair(), List.of(far.member())), "the far member has not found it");
    }
  }
}
