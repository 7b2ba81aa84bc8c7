package io.github.vertxrdma.provider;

/** Listens for connections. Confined to the thread of its completion queue. */
public interface Listener extends AutoCloseable {

  /** Where; the port that was given in place of 0. */
  EndpointAddress localAddress();

  /** Stops listening; accepted endpoints live on. Idempotent. */
  @Override
  void close();
}
