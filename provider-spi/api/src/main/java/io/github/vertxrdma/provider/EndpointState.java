package io.github.vertxrdma.provider;

/** The life of an endpoint. */
public enum EndpointState {
  /** Made; receives may be posted. */
  INIT,
  /** Connect or accept is under way. */
  CONNECTING,
  CONNECTED,
  /** Disconnected or failed: posts return {@link Status#NOT_CONNECTED}; completions of earlier posts may still arrive. */
  BROKEN,
  CLOSED
}
