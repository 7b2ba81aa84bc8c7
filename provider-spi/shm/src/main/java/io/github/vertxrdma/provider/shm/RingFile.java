package io.github.vertxrdma.provider.shm;

/** A ring that this side writes, in a file of its own. */
final class RingFile {
  final RingWriter writer;
  private final AnonymousFile file;
  private boolean handedOver;

  RingFile(int capacity) {
    file = AnonymousFile.create(Ring.DATA + capacity, true);
    writer = new RingWriter(file.memory());
  }

  /** For handing out, once. */
  AnonymousFile file() {
    return file;
  }

  /** The peer has been sent the file: its descriptor is not needed any more. */
  void handedOver() {
    handedOver = true;
    file.release();
  }

  void close() {
    file.unmap();
    if (!handedOver) {
      file.release();
    }
  }
}
