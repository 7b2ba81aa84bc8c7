package io.github.vertxrdma.provider;

public abstract class AbstractEndpoint implements Endpoint {
  private final CompletionQueue queue;
  private final EndpointCounters counters = new EndpointCounters();

  protected AbstractEndpoint(CompletionQueue queue) {
    this.queue = queue;
  }

  public final EndpointCounters counters() {
    return counters;
  }

  @Override
  public final CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public final Counter counter(Counter.Event event) {
    return counters.counter(event);
  }
}
