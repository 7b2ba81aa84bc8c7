package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.RegionFrames;

/**
 * Frame that a call sends to the region's owner. It never arrives before the data of the call.
 *
 * @param withLastChunk whether the fabric posts the frame together with the last chunk of the data
 */
record OwnerRequest(int type, int flags, byte[] payload, boolean withLastChunk) {

  static OwnerRequest notify(long offset, long length, long tag, boolean withLastChunk) {
    return new OwnerRequest(RegionFrames.NOTIFY, 0, RegionFrames.words(offset, length, tag), withLastChunk);
  }

  static OwnerRequest readDone(long offset, long length, long tag) {
    return new OwnerRequest(RegionFrames.READ_DONE, 0, RegionFrames.words(offset, length, tag), false);
  }

  /** Creates a frame whose reply means that earlier data arrived. */
  static OwnerRequest flush(boolean withLastChunk) {
    return new OwnerRequest(RegionFrames.FLUSH, 0, null, withLastChunk);
  }

  static OwnerRequest atomic(boolean exchange, long offset, long first, long second) {
    return new OwnerRequest(RegionFrames.ATOMIC, exchange ? RegionFrames.EXCHANGE : RegionFrames.ADD,
      RegionFrames.words(offset, first, second), false);
  }

  static OwnerRequest inline(byte[] payload) {
    return new OwnerRequest(RegionFrames.WRITE_NOTIFY, 0, payload, false);
  }

  /** Returns whether the region delivers these frames in the order of the calls. */
  boolean isNotification() {
    return type == RegionFrames.NOTIFY || type == RegionFrames.WRITE_NOTIFY;
  }
}
