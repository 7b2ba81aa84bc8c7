package io.github.vertxrdma.provider;

/** Listener, confined to the thread of its completion queue. */
public interface Listener extends AutoCloseable {

  /** Returns its address, with the actual port. */
  EndpointAddress localAddress();

  /** Stops listening. Accepted endpoints stay open. Idempotent. */
  @Override
  void close();
}
