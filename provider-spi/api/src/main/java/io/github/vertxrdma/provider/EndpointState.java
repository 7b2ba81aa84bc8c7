package io.github.vertxrdma.provider;

public enum EndpointState {
  INIT,
  CONNECTING,
  CONNECTED,
  /** The connection was disconnected or failed. Completions of earlier posts may follow. */
  BROKEN,
  CLOSED
}
