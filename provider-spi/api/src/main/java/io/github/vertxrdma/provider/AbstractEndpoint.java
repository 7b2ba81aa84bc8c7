package io.github.vertxrdma.provider;

public abstract class AbstractEndpoint implements Endpoint {
  private final CompletionQueue queue;

  protected AbstractEndpoint(CompletionQueue queue) {
    this.queue = queue;
  }

  @Override
  public final CompletionQueue completionQueue() {
    return queue;
  }
}
