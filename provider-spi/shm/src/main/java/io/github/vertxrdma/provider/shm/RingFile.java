package io.github.vertxrdma.provider.shm;

/** Ring that this side writes, in its own file. */
final class RingFile {
  final RingWriter writer;
  private final AnonymousFile file;
  private boolean handedOver;

  RingFile(int capacity) {
    file = AnonymousFile.create(Ring.DATA + capacity, true);
    writer = new RingWriter(file.memory());
  }

  AnonymousFile file() {
    return file;
  }

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
