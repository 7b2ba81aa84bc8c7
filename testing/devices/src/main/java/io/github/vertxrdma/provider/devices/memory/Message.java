package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;

/** A message, or the notification of a write with immediate, on its way. It owns its data once they are loaded. */
abstract class Message implements Arrival {
  private final Source source;
  final long immediate;
  final boolean hasImmediate;
  /** Whether it notifies of a write, whose data is already in place. */
  final boolean write;

  Message(Source source, long immediate, boolean hasImmediate, boolean write) {
    this.source = source;
    this.immediate = immediate;
    this.hasImmediate = hasImmediate;
    this.write = write;
  }

  byte[] data() {
    return source.bytes();
  }

  @Override
  public boolean load() {
    return posting().load(source);
  }

  /** Returns the posts of the sending endpoint. */
  abstract Posting posting();

  /** Returns the receiving endpoint that completions name. */
  abstract Endpoint endpoint();

  /** Called on the receiver's thread when the message is in the receiver's memory. */
  abstract void delivered();

  /** Called on the receiver's thread when the receiver could not take the message. */
  abstract void failed(int status, String error);
}
