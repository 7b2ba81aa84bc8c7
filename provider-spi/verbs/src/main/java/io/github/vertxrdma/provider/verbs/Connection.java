package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.EndpointAddress;

/** Connects an endpoint's queue pair to its peer. */
abstract class Connection {
  final VerbsEndpoint endpoint;
  final VerbsDomain domain;
  EndpointAddress local;
  EndpointAddress remote;

  Connection(VerbsEndpoint endpoint) {
    this.endpoint = endpoint;
    domain = endpoint.domain;
  }

  abstract void connect(EndpointAddress to, byte[] privateData);

  /** Returns the current step for the message of a timeout, such as "resolving the address". */
  abstract String step();

  /** Called with the completion of an empty write of an {@link ExchangedConnection}. */
  void emptyWriteCompleted(int status, int vendorError) {
  }

  /** Called when the deadline {@link EndpointDeadline.Kind#RETRY} expires. */
  abstract void retry();

  void disconnect() {
  }

  /** Called when the device reports the peer's first message, possibly before the connection manager's event; rdma_notify(3). */
  abstract void established();

  /** Returns whether the task of {@link #close} blocks until the peer answers, which may take seconds. */
  boolean isAwaited() {
    return false;
  }

  /** Ends the connection. Returns a task that destroys the connection manager's id on any thread, before the queue pair is destroyed. */
  Runnable close() {
    return () -> {
    };
  }
}
