package io.github.vertxrdma.provider.shm;

final class RingFile {
  final RingWriter writer;
  final AnonymousFile file;
  private boolean handedOver;

  RingFile(int capacity) {
    file = AnonymousFile.create(Ring.DATA + capacity, true);
    writer = new RingWriter(file.memory);
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
