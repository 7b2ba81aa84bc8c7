package io.github.vertxrdma.provider;

/** Accepts connections of peers. Confined to the thread of its completion queue. */
public interface Listener extends AutoCloseable {

  /** Returns the address with the port that the system chose. */
  EndpointAddress localAddress();

  /** Stops listening. Accepted endpoints stay open. Idempotent. */
  @Override
  void close();
}
