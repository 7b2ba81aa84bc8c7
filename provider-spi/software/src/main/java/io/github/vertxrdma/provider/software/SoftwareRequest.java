package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import java.util.concurrent.atomic.AtomicBoolean;

/** Connection request, read on the listener's thread and answered once, on any thread. */
public abstract class SoftwareRequest<E extends SoftwareEndpoint> implements ConnectionRequest {
  private static final byte[] NOTHING = {};

  private final SoftwareListener<?> listener;
  private final AtomicBoolean answered = new AtomicBoolean();
  private Deadline deadline;
  private byte[] privateData;
  private E endpoint;

  protected SoftwareRequest(SoftwareListener<?> listener) {
    this.listener = listener;
  }

  /**
   * Closes the connection unless the request arrives in time.
   *
   * @param from the peer's address, to limit unfinished requests of one peer
   */
  protected final void expect(int timeoutMillis, Object from) {
    deadline = listener.queue().deadline(timeoutMillis, this::abandon);
    SoftwareRequest<?> oldest = listener.incomplete.add(this, from);
    if (oldest != null) {
      oldest.abandon();
    }
  }

  private void stopWaiting() {
    if (deadline != null) {
      deadline.cancel();
      listener.incomplete.remove(this);
    }
  }

  /** Called when the request is complete. The peer sends nothing more before the answer. */
  protected final void complete(byte[] data) {
    privateData = data;
    stopWaiting();
    listener.complete(this);
  }

  @SuppressWarnings("unchecked")
  protected E newEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    // A queue of another fabric fails before anything is created.
    return (E) listener.queue().getClass().cast(queue).owner().createEndpoint(queue, options, handler);
  }

  protected abstract void accept(E endpoint, byte[] data);

  protected abstract void refuse(byte[] data);

  protected abstract void hangUp();

  @Override
  public final byte[] privateData() {
    return privateData.clone();
  }

  @Override
  public final Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (endpoint != null) {
      throw new IllegalStateException(name() + " already has an endpoint");
    }
    endpoint = newEndpoint(queue, options, handler);
    return endpoint;
  }

  @Override
  public final void accept(byte[] data) {
    if (endpoint == null) {
      throw new IllegalStateException(name() + " cannot be accepted without an endpoint: call createEndpoint first");
    }
    if (endpoint.state() != EndpointState.INIT) {
      throw new IllegalStateException(name() + " cannot be accepted with an endpoint that is " + endpoint.state() + ": reject it");
    }
    answer(data);
    accept(endpoint, data);
  }

  @Override
  public final void reject(byte[] data) {
    answer(data);
    refuse(data);
  }

  private void answer(byte[] data) {
    listener.queue().owner().checkPrivateData(data);
    if (!answered.compareAndSet(false, true)) {
      throw new IllegalStateException(name() + " was already accepted or rejected");
    }
    listener.forget(this);
  }

  private String name() {
    return listener.queue().owner().device().name() + ": the connection request of " + remoteAddress();
  }

  /** Rejects a complete request; otherwise closes the connection. */
  public final void abandon() {
    if (answered.compareAndSet(false, true)) {
      listener.forget(this);
      if (privateData != null) {
        refuse(NOTHING);
      } else {
        stopWaiting();
        hangUp();
      }
    }
  }
}
