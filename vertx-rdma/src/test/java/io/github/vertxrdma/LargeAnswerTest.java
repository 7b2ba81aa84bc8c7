package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever waits for the answer of a service, or of a client to it, is told that it is larger than a message may be. */
@Timeout(120)
class LargeAnswerTest extends BusServicePair {
  private static final int MOST = 64 << 10;
  private static final Buffer LARGE = Buffer.buffer(random(2 * MOST));

  @Override
  String fabric() {
    return "memory";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxMessageSize(MOST);
  }

  private static void assertTold(Throwable cause) {
    ReplyException failure = assertInstanceOf(ReplyException.class, cause, String.valueOf(cause));
    assertEquals(ReplyFailure.ERROR, failure.failureType());
    assertTrue(failure.getMessage().contains("maxMessageSize"), failure.getMessage());
  }

  @Test
  void aReply() throws Exception {
    serverVertx.eventBus().consumer("large", m -> m.reply(LARGE));
    deploy("large");
    assertTold(cause(connect("large").request("x")));
  }

  @Test
  void aReplyThatWantsAnAnswer() throws Exception {
    Promise<Throwable> replier = Promise.promise();
    serverVertx.eventBus().consumer("large", m -> m.replyAndRequest(LARGE).onComplete(answer -> replier.complete(answer.cause())));
    deploy("large");
    assertTold(cause(connect("large").request("x")));
    assertTold(await(replier.future()));
  }

  @Test
  void theAnswerToAReply() throws Exception {
    Promise<Throwable> replier = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onComplete(answer -> replier.complete(answer.cause())));
    deploy("talk");
    await(connect("talk").request("knock")).reply(LARGE);
    assertTold(await(replier.future()));
  }

  @Test
  void theAnswerToAReplyThatWantsOneToo() throws Exception {
    Promise<Throwable> replier = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest("who?").onComplete(answer -> replier.complete(answer.cause())));
    deploy("talk");
    Throwable refused = cause(await(connect("talk").request("knock")).replyAndRequest(LARGE));
    assertEquals(Reason.TOO_LARGE, assertInstanceOf(RdmaException.class, refused).reason());
    assertTold(await(replier.future()));
  }
}
