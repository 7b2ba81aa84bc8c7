package io.github.vertxrdma.simulator;

import io.vertx.core.Completable;
import java.util.function.Consumer;

/** A completion that an application waits for. It must happen once, and before the end of the conversation. */
final class Once implements Completable<Void> {
  private final Conversation conversation;
  private final String what;
  private final Consumer<Throwable> then;
  private boolean done;

  Once(Conversation conversation, String what, Consumer<Throwable> then) {
    this.conversation = conversation;
    this.what = what;
    this.then = then;
    conversation.waiting.add(this);
  }

  @Override
  public void complete(Void result, Throwable failure) {
    if (done) {
      conversation.violated("completed twice: " + what);
      return;
    }
    done = true;
    conversation.waiting.remove(this);
    then.accept(failure);
  }

  @Override
  public String toString() {
    return what;
  }
}
