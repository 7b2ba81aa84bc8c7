package io.github.vertxrdma.simulator;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(900)
@Tag("full")
class PlantedBugsTest {
  private static final long CONVERSATIONS = 2_000;
  private static final long FEWER_CONVERSATIONS = 500;
  private static final ClassDesc CONNECTION = ClassDesc.of("io.github.vertxrdma.provider.rdm.RdmConnection");

  static Stream<Plant> bugs() {
    return List.of(
      new Plant("a credit is given for a receive that was refused", "impl.device.PostedReceives.postAgain", "post",
        PlantedBugsTest::andSayYes),
      new Plant("a receive is posted late, after its message is delivered", "impl.device.PostedReceives.postAgain", "isEmpty",
        answer(false)),
      new Plant("a slot is used again before its send completed", "impl.link.FrameWriter.posted", "add",
        (code, call) -> code.pop2().aload(0).aload(1).invokevirtual(ClassDesc.of("io.github.vertxrdma.impl.link.FrameWriter"), "release",
          MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of("io.github.vertxrdma.impl.device.SendSlot")))),
      new Plant("a frame is taken in any state", "impl.link.FrameStream.received", "isIn", answer(true)),
      new Plant("a write that waits is not told of the end", "impl.link.MessageSender.fail", "fail", (code, call) -> code.pop2()),
      new Plant("a message is delivered after the end of its link", "impl.link.MessageReceiver.deliver|fail", "isClosed|clear",
        (code, call) -> (call.name().equalsString("isClosed") ? code.pop().iconst_0() : code.pop()).nop()),
      new Plant("a write completes twice", "impl.link.MessageSender.complete", "succeed",
        (code, call) -> code.dup().with(call).with(call)),
      new Plant("END overtakes messages", "impl.link.MessageSender.sendEnd", "isPosted", answer(true)),
      new Plant("CLOSE overtakes messages", "impl.link.Closing.turnEnd", "isTaken", answer(true)),
      new Plant("a message is sent without a credit", "impl.link.MessageSender.flush", "canSendData", answer(true)),
      new Plant("memory of a piece is used again before the peer has read it", "impl.link.RendezvousSender.postCopy", "take",
        PlantedBugsTest::takeAndGiveBack),
      new Plant("a slab stays registered", "impl.device.SlotPool$Slab.close", "close", (code, call) -> code.pop()),
      new Plant("the endpoint of a link that ended is closed after who heard of that has closed the loop", "impl.link.FrameStream.fail",
        "execute|runAll",
        destroyedLast()),
      new Plant("the receives of a link that is over serve no other", "impl.device.PostedReceives.close", "release",
        (code, call) -> code.pop2()).foundBy(382),
      new Plant("what waits behind a message that is not confirmed is without bound", "impl.link.MessageReceiver.checkCredits", "withhold",
        (code, call) -> code.pop2().pop()),
      new Plant("the credit of a piece goes back before its acknowledgement", "impl.link.FrameStream.reposted", "rendezvousPosted",
        (code, call) -> code.invokevirtual(ClassDesc.of("io.github.vertxrdma.impl.link.Credits"), "giveBackData",
          ConstantDescs.MTD_void)),
      new Plant("who asks for more answers than it takes gets credits for more", "impl.link.FrameWriter.control", "congested",
        (code, call) -> code.pop2()).foundBy(42),
      new Plant("a peer that takes no frames is never given up as long as it talks", "impl.link.KeepAlive.check", "checkCredits",
        (code, call) -> code.pop2()).foundBy(186),
      new Plant("messages that arrived before the end of their peer are dropped", "impl.link.KeepAlive.ended", "awaitQuiet",
        PlantedBugsTest::giveUpAtOnce).foundBy(181),
      new Plant("a close succeeds without an acknowledgement", "impl.link.Closing.explained", "isAgreed", answer(true)),
      new Plant("a link ends before its own acknowledgement has gone", "impl.link.Closing.turnEnd", "hasDeliveredAcknowledgement",
        answer(true)),
      new Plant("messages are handed out as they come, in no order", "provider.rdm.Demultiplexer.received", "inOrder", answer(true)),
      new Plant("what waits for an earlier message is never handed out", "provider.rdm.RdmConnection.advance", "advanceHeld",
        (code, call) -> code.pop()),
      new Plant("a message is taken for a connection of another life, by its tag alone", "provider.rdm.Demultiplexer.received", "find",
        PlantedBugsTest::byTagAlone).foundBy(960),
      new Plant("a connection ends at DREQ, with messages still missing", "provider.rdm.RdmConnection.reactTo", "number",
        (code, call) -> code.pop().aload(0).getfield(CONNECTION, "expected", ConstantDescs.CD_int)),
      new Plant("an earlier life of a peer goes on", "provider.rdm.RdmConnection.establish", "endConnectionsOfEarlierProcess",
        (code, call) -> code.pop2()).foundBy(123),
      new Plant("the receive of a message of the layer's own is lost", "provider.rdm.Demultiplexer.received", "repost",
        (code, call) -> code.pop2()).foundBy(273))
      .stream();
  }

  static Stream<Plant> bugsOfRegions() {
    return List.of(
      new Plant("a key stays valid after its region was taken back", "impl.region.Registrations.deregister", "close",
        (code, call) -> code.pop()),
      new Plant("operations are posted after a revoke, since the lease does not end", "impl.region.HolderSide.revoked", "revoked",
        (code, call) -> runAtOnce(code).pop2()),
      new Plant("a holder gives a region back that it still writes to", "impl.region.RegionLease.revoked", "whenDrained",
        (code, call) -> runAtOnce(code).pop()),
      new Plant("a call goes on in chunks after its right to the region has ended", "impl.region.RegionCall.postChunks", "mayTransfer",
        answer(true)),
      new Plant("a holder lets the old key go that it still uses", "impl.region.RegionLease.rekeyed", "whenDrained",
        (code, call) -> runAtOnce(code).pop()).foundBy(1104),
      new Plant("the owner lets the old key go before the holders have the new one", "impl.region.RegionHold.rekey", "future",
        (code, call) -> succeed(code)).foundBy(87),
      new Plant("the owner of a region takes it back without asking who has it open", "impl.region.Exposures.revoke", "requestRevoke",
        (code, call) -> succeed(code.pop2())),
      new Plant("memory that a read or write went through is never free again", "impl.link.RmaQueue.recycle", "release",
        (code, call) -> code.pop2()),
      new Plant("a call has all its accesses under way at once", "impl.region.RegionCall.postChunks", "chunkBegins",
        (code, call) -> code.with(call).aload(0).iconst_0().putfield(ClassDesc.of("io.github.vertxrdma.impl.region.RegionCall"),
          "unreleased", ConstantDescs.CD_int)),
      new Plant("a closed region stays with its holder", "impl.region.OwnerSide.execute", "holderEnded", (code, call) -> code.pop2().pop()))
      .stream();
  }

  static Stream<Plant> bugsOfConnections() {
    ClassDesc inbound = ClassDesc.of("io.github.vertxrdma.impl.api.InboundMessages");
    ClassDesc once = ClassDesc.of("io.github.vertxrdma.impl.api.OnceHandler");
    return List.of(
      new Plant("an orderly close by the peer is reported as a failure", "impl.api.RdmaConnectionImpl.closed", "isClosedInOrder",
        PlantedBugsTest::withoutItsReason),
      new Plant("the end is told before messages that wait for their reader", "impl.api.InboundMessages.end", "write",
        (code, call) -> code.pop().getfield(inbound, "endHandler", once).aconst_null()
          .invokevirtual(once, "occur", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object))),
      new Plant("the end is told twice", "impl.api.OnceHandler.occur", "dispatch", (code, call) -> code.with(call).aload(0)
        .getfield(once, "context", ClassDesc.of("io.vertx.core.internal.ContextInternal")).aload(1).aload(2).with(call)),
      new Plant("a message is lost that comes while much waits to be written", "impl.api.RdmaConnectionImpl.message", "message",
        (code, call) -> {
          var gone = code.newLabel();
          var over = code.newLabel();
          code.aload(0).invokevirtual(ClassDesc.of("io.github.vertxrdma.impl.api.RdmaConnectionImpl"), "writeQueueFull",
            MethodTypeDesc.of(ConstantDescs.CD_boolean)).ifne(gone).with(call).goto_(over).labelBinding(gone).pop2().labelBinding(over);
        }),
      new Plant("a writer is not told that it may go on", "impl.api.RdmaConnectionImpl.posted", "runOnContext",
        (code, call) -> code.pop2()),
      new Plant("a flush does not wait for what is not posted", "impl.link.Flushes.add", "written", (code, call) -> code.pop().lconst_0()),
      new Plant("a flush does not wait for what the peer is to read", "impl.link.Flushes.turnEnd", "isRead", answer(true)),
      new Plant("a flush does not wait for the peer's answer", "impl.link.Flushes.turnEnd", "ping",
        (code, call) -> runAtOnce(code).pop()),
      new Plant("a flush is forgotten when the connection ends", "impl.link.Link.endFlushes", "linkClosed", (code, call) -> code.pop2()),
      new Plant("a reply goes to the request that was made next", "impl.api.Requests.answered", "get",
        (code, call) -> code.loadConstant((1L << 28) + 1).ladd().with(call)),
      new Plant("a loop is closed in the middle of a registration", "impl.device.LoopMemory.idle", "future", (code, call) -> succeed(code)),
      new Plant("a request is forgotten when it fails", "impl.api.Requests$Waiting.failed", "fail",
        (code, call) -> code.pop2()),
      new Plant("a request fails twice", "impl.api.Requests$Waiting.failed", "fail",
        (code, call) -> code.dup2().with(call).with(call)),
      new Plant("the close is told off the connection's context", "impl.api.RdmaConnectionImpl.closed", "emit",
        (code, call) -> code.swap().invokeinterface(ClassDesc.of("io.vertx.core.Handler"), "handle",
          MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object)).pop().iconst_1()))
      .stream();
  }

  /** Calls a close orderly only if nothing was lost. */
  private static void withoutItsReason(CodeBuilder code, InvokeInstruction call) {
    code.pop().aload(1).invokestatic(ClassDesc.of("java.util.Objects"), "isNull",
      MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_Object)).nop();
  }

  static Stream<Plant> bugsOfMoves() {
    return List.of(
      new Plant("a sender moves before the kernel has its bytes by TCP", "impl.transport.MoveHandler.moveOutput", "hasUnwritten",
        answer(false)),
      new Plant("bytes over the fabric overtake bytes by TCP", "impl.transport.MoveHandler.control", "checkInput",
        (code, call) -> code.pop().aload(0).getfield(ClassDesc.of("io.github.vertxrdma.impl.transport.MoveHandler"), "input",
          ClassDesc.of("io.github.vertxrdma.impl.transport.MovedInput"))
          .iconst_1().invokevirtual(ClassDesc.of("io.github.vertxrdma.impl.transport.MovedInput"), "setReadable",
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_boolean))
          .aload(0).with(call)),
      new Plant("what waited while a connection moved is not written", "impl.transport.MovedOutput.resume", "submit",
        (code, call) -> code.pop()),
      new Plant("the end of TCP is not held for bytes over the fabric", "impl.transport.MoveHandler.userEventTriggered", "checkEnd",
        (code, call) -> code.invokevirtual(ClassDesc.of("io.github.vertxrdma.impl.transport.MoveHandler"), "shutDownInput",
          ConstantDescs.MTD_void)),
      new Plant("an end of the output is not sent over the fabric", "impl.transport.MoveHandler.sendEnd", "send",
        (code, call) -> code.pop2().pop2()),
      new Plant("a write completes when the fabric takes its bytes, before it confirms them", "impl.transport.MovedOutput.retire",
        "isReported", answer(true)),
      new Plant("a peer that was held back is never let go on", "impl.transport.MovedInput.complete", "receiving",
        (code, call) -> code.pop2()),
      new Plant("the peer moves before this side has moved, and is taken for one that broke the rules",
        "impl.transport.MoveHandler.control",
        "moveOutput", (code, call) -> code.pop()),
      new Plant("bytes by TCP are not counted", "impl.transport.MoveHandler.writeByTcp", "readableBytes",
        (code, call) -> code.pop().iconst_0()),
      new Plant("a sender returns to TCP before its bytes over the fabric have arrived", "impl.transport.MoveHandler.sendReturned",
        "send",
        (code, call) -> code.with(call).aload(0).iconst_1()
          .putfield(ClassDesc.of("io.github.vertxrdma.impl.transport.MoveHandler"), "confirmed", ConstantDescs.CD_boolean)),
      new Plant("bytes by TCP overtake those of the fabric after a return", "impl.transport.MoveHandler.channelRead", "isEmpty",
        answer(true)),
      new Plant("a receiver asks for the fabric while bytes by TCP wait", "impl.transport.MoveHandler.ask", "isEmpty", answer(true)),
      new Plant("what waited while a connection returned is dropped", "impl.transport.MoveHandler.returnWaiting", "release", answer(false)),
      new Plant("a read that waits for the fabric is forgotten", "impl.transport.MoveHandler.open", "read", (code, call) -> code.pop2()),
      new Plant("a connect over a fabric alone never completes", "impl.transport.MoveHandler.outputWritten", "open",
        (code, call) -> code.pop()),
      new Plant("a receiver confirms nothing when its peer returns", "impl.transport.MoveHandler.control", "send",
        (code, call) -> code.pop2().pop2()))
      .stream();
  }

  static Stream<Plant> bugsOfServices() {
    return List.of(
      new Plant("requests under way are forgotten when their connection is lost", "impl.calls.BusLink.ended", "fail",
        (code, call) -> code.pop2().pop()),
      new Plant("a connection is not told of the requests that timed out, and never closes", "impl.calls.Outstanding.expired",
        "requestEnded",
        (code, call) -> code.pop()),
      new Plant("a client keeps the connection to a server that is closing", "impl.calls.BusClient.draining", "drain",
        (code, call) -> code.pop()),
      new Plant("messages that wait for a connection are sent last first", "impl.calls.BusClient.sendWaiting", "poll",
        (code, call) -> code.invokevirtual(ClassDesc.of("java.util.ArrayDeque"), "pollLast", call.typeSymbol())),
      new Plant("a server that closes does not wait for its consumers", "impl.calls.BusServer.drain", "toMillis",
        (code, call) -> code.pop().lconst_0()))
      .stream();
  }

  static Stream<Plant> bugsOfControlConnections() {
    return List.of(
      new Plant("who wrote its peer off does not say so when it connects", "impl.peers.LinkTable.reportWrittenOff", "report",
        (code, call) -> code.pop2().pop2().pop2()).foundBy(552),
      new Plant("an attempt is forgotten when the peer's connection comes first", "impl.peers.LinkTable.fulfilled", "complete|requeue",
        (code, call) -> code.pop2()),
      new Plant("nobody goes for a stranger", "impl.peers.ControlLinks.accept", "add", (code, call) -> code.pop2().pop().aconst_null()),
      new Plant("a silent peer is never looked for", "impl.peers.Heartbeat.checkSilence", "silent", (code, call) -> code.pop2()),
      new Plant("the time to verify judges a stopped process", "impl.peers.LinkTable.dial", "start", PlantedBugsTest::withinTheTime),
      new Plant("a peer that nothing acknowledges for is never given up", "impl.peers.LinkTable.failed", "deadline",
        (code, call) -> code.pop2().pop().loadConstant(Long.MIN_VALUE)))
      .stream();
  }

  private static CodeBuilder runAtOnce(CodeBuilder code) {
    return code.invokeinterface(ClassDesc.of("java.lang.Runnable"), "run", MethodTypeDesc.of(ConstantDescs.CD_void));
  }

  private static void succeed(CodeBuilder code) {
    code.pop().invokestatic(ClassDesc.of("io.vertx.core.Future"), "succeededFuture",
      MethodTypeDesc.of(ClassDesc.of("io.vertx.core.Future")), true);
  }

  private static void byTagAlone(CodeBuilder code, InvokeInstruction call) {
    code.pop2().invokevirtual(ClassDesc.of("io.github.vertxrdma.provider.rdm.RdmConnections"), "tagged",
      MethodTypeDesc.of(CONNECTION, ConstantDescs.CD_int));
  }

  private static void withinTheTime(CodeBuilder code, InvokeInstruction call) {
    if (call.typeSymbol().parameterCount() == 1) {
      code.dup().i2l().invokevirtual(call.owner().asSymbol(), "start", call.typeSymbol().insertParameterTypes(1, ConstantDescs.CD_long));
    } else {
      code.with(call);
    }
  }

  private static void andSayYes(CodeBuilder code, InvokeInstruction call) {
    code.with(call).pop().iconst_1();
  }

  private static Plant.Instead destroyedLast() {
    InvokeInstruction[] execute = new InvokeInstruction[1];
    return (code, call) -> {
      if (call.name().equalsString("execute")) {
        execute[0] = call;
        code.astore(9).astore(8);
      } else if (execute[0] != null) {
        code.with(call).aload(8).aload(9).with(execute[0]);
        execute[0] = null;
      } else {
        code.with(call);
      }
    };
  }

  private static void giveUpAtOnce(CodeBuilder code, InvokeInstruction call) {
    ClassDesc link = ClassDesc.of("io.github.vertxrdma.impl.link.Link");
    code.pop2().pop().aload(0).getfield(ClassDesc.of("io.github.vertxrdma.impl.link.KeepAlive"), "link", link).aload(1).aload(2)
      .invokevirtual(link, "peerLost", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String, ConstantDescs.CD_String));
  }

  private static void takeAndGiveBack(CodeBuilder code, InvokeInstruction call) {
    code.with(call);
    if (call.owner().name().equalsString("io/github/vertxrdma/impl/device/ExposedMemory")) {
      ClassDesc slot = ClassDesc.of("io.github.vertxrdma.impl.device.RendezvousSlot");
      ClassDesc memory = ClassDesc.of("io.github.vertxrdma.impl.device.ExposedMemory");
      var none = code.newLabel();
      code.dup().ifnull(none).dup().aload(0)
        .getfield(ClassDesc.of("io.github.vertxrdma.impl.link.RendezvousSender"), "memory", memory).swap()
        .invokevirtual(memory, "release", MethodTypeDesc.of(ConstantDescs.CD_void, slot)).labelBinding(none);
    }
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void isFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(Conversation.class, CONVERSATIONS);
  }

  @ParameterizedTest
  @MethodSource("bugsOfRegions")
  void ofRegionsIsFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(RegionConversation.class, CONVERSATIONS);
  }

  @ParameterizedTest
  @MethodSource("bugsOfConnections")
  void ofConnectionsIsFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(ConnectionConversation.class, FEWER_CONVERSATIONS);
  }

  @ParameterizedTest
  @MethodSource("bugsOfMoves")
  void ofMovesIsFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(MovingConversation.class, FEWER_CONVERSATIONS);
  }

  @ParameterizedTest
  @MethodSource("bugsOfServices")
  void ofServicesIsFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(ServiceConversation.class, FEWER_CONVERSATIONS);
  }

  @ParameterizedTest
  @MethodSource("bugsOfControlConnections")
  void ofControlConnectionsIsFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(ControlConversation.class, 1_000);
  }

  @Test
  void nothingIsFoundWhereNothingIsPlanted() throws ReflectiveOperationException {
    assertNull(new Plant("nothing", "impl.link.MessageSender.sendEnd", "isPosted", CodeBuilder::with).search(Conversation.class, 1, 100));
  }
}
