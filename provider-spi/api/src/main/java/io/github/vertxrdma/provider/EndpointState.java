package io.github.vertxrdma.provider;

public enum EndpointState {
  INIT,
  CONNECTING,
  CONNECTED,
  /** Disconnected or failed. Completions of earlier posts may still arrive. */
  BROKEN,
  CLOSED
}
