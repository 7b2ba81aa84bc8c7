package io.github.vertxrdma.provider;

/** Listens for connections. Confined to the thread of its completion queue. */
public interface Listener extends AutoCloseable {

  /** Returns its address, with the actual port in place of 0. */
  EndpointAddress localAddress();

  /** Stops listening; accepted endpoints stay open. Idempotent. */
  @Override
  void close();
}
