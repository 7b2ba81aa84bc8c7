package io.github.vertxrdma.grpc.impl;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.lang.classfile.CodeBuilder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Conversations find each of the bugs that are planted into clients and servers of calls. */
@Timeout(300)
class PlantedCallBugsTest {
  private static final long CONVERSATIONS = 500;

  static Stream<Plant> bugs() {
    return List.of(
      new Plant("a message is sent without a credit", "grpc.impl.Sender.maySend", "body", (code, call) -> code.pop().aconst_null()),
      new Plant("a credit is given twice", "grpc.impl.MessageReader.taken", "give", (code, call) -> code.dup2().with(call).with(call)),
      new Plant("a deadline is left when its call is over", "grpc.impl.ClientCall.finish", "stop", (code, call) -> code.pop()),
      new Plant("a call is not told that its connection is lost", "grpc.impl.ClientLink.ended", "forEach", (code, call) -> code.pop2()),
      new Plant("a call that is over keeps its place", "grpc.impl.ClientCall.finish", "done", (code, call) -> code.pop().pop2()),
      new Plant("a call that may have been executed is made again", "grpc.impl.ClientCall.mayAgain", "isIdempotent", answer(true))
        .foundBy(420),
      new Plant("a server is not told that its clients are lost", "grpc.impl.ServerLink.ended", "forEach", (code, call) -> code.pop2()),
      new Plant("a cancellation stays at its client", "grpc.impl.ClientCall.fail", "write", (code, call) -> code.pop2().aconst_null()),
      new Plant("a writer is not told that it may go on", "grpc.impl.Sender.drained", "runOnContext", (code, call) -> code.pop2()),
      new Plant("a call that waits for a place is forgotten", "grpc.impl.ClientLink.beginWaiting", "begin", (code, call) -> code.pop()),
      new Plant("a server that shuts down closes the connections of clients that have not greeted", "grpc.impl.ServerLink.leave",
        "hasGreeted", answer(true)),
      new Plant("a call that was sent before its connection ended is taken for an unsent one", "grpc.impl.ClientCall.lost", "mayAgain",
        answer(true)),
      new Plant("calls that a server has not looked at are lost", "grpc.impl.ClientLink.goAway", "forEach", (code, call) -> code.pop2()))
      .stream();
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void isFound(Plant bug) throws ReflectiveOperationException {
    bug.isFoundBy(CallConversation.class, CONVERSATIONS);
  }

  @Test
  void nothingIsFoundWhereNothingIsPlanted() throws ReflectiveOperationException {
    assertNull(new Plant("nothing", "grpc.impl.Sender.maySend", "body", CodeBuilder::with).search(CallConversation.class, 1, 50));
  }
}
