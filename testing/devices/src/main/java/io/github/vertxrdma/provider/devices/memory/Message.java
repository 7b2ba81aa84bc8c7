package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;

/** A message, or the news of a write with immediate, on its way; it owns its data once they are loaded. */
abstract class Message implements Arrival {
  private final Source source;
  final long immediate;
  final boolean hasImmediate;
  /** It tells of a write, whose data is in place already. */
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

  /** The endpoint that posted it. */
  abstract Posting posting();

  /** The receiving endpoint that completions name. */
  abstract Endpoint endpoint();

  /** It is in the receiver's memory; runs on the receiver's thread. */
  abstract void delivered();

  /** The receiver could not take it; runs on the receiver's thread. */
  abstract void failed(int status, String error);
}
