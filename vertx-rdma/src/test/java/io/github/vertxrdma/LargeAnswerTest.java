package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LargeAnswerTest extends BusServicePair {
  private static final int MOST = 64 << 10;
  private static final Buffer LARGE = Buffer.buffer(random(2 * MOST));

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

  private Future<Throwable> talk(Object reply) throws Exception {
    Promise<Throwable> answered = Promise.promise();
    serverVertx.eventBus().consumer("talk", m -> m.replyAndRequest(reply).onComplete(answer -> answered.complete(answer.cause())));
    deploy("talk");
    return answered.future();
  }

  @Test
  void aReplyThatWantsAnAnswer() throws Exception {
    Future<Throwable> replier = talk(LARGE);
    assertTold(cause(connect("talk").request("x")));
    assertTold(await(replier));
  }

  @Test
  void theAnswerToAReply() throws Exception {
    Future<Throwable> replier = talk("who?");
    await(connect("talk").request("knock")).reply(LARGE);
    assertTold(await(replier));
  }

  @Test
  void theAnswerToAReplyThatWantsOneToo() throws Exception {
    Future<Throwable> replier = talk("who?");
    Throwable refused = cause(await(connect("talk").request("knock")).replyAndRequest(LARGE));
    assertEquals(Reason.TOO_LARGE, assertInstanceOf(RdmaException.class, refused).reason());
    assertTold(await(replier));
  }
}
