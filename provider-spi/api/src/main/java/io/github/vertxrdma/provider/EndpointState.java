package io.github.vertxrdma.provider;

/** State of an endpoint. */
public enum EndpointState {
  /** Created; receives may be posted. */
  INIT,
  /** Connect or accept is in progress. */
  CONNECTING,
  CONNECTED,
  /** Disconnected or failed: posts return {@link Status#NOT_CONNECTED}; completions of earlier posts may still arrive. */
  BROKEN,
  CLOSED
}
