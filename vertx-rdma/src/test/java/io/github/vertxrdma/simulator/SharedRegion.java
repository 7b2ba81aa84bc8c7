package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.region.OwnedRegion;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;

/**
 * Reference model of a shared region. All holders add to one word, and each holder writes a word of its own. Written values contain the
 * number of the region.
 */
final class SharedRegion {
  static final int SLOTS = 64;
  static final int MOST_HOLDERS = 24;
  /** Offset of the words that all holders write, with values of one kind. */
  static final int BULK = 1024;
  static final int BULK_SIZE = 40 << 10;
  static final int SIZE = BULK + BULK_SIZE;

  final int number;
  final RegionMember owner;
  final OwnedRegion region;
  int holders;
  boolean revokeAsked;
  private MemorySegment revoked;
  private long bulks;
  /** Sums of the additions that succeeded, and of those with an unknown outcome. */
  private long added;
  private long mayBeAdded;
  private final Set<Long> before = new HashSet<>();

  SharedRegion(int number, RegionMember owner, OwnedRegion region) {
    this.number = number;
    this.owner = owner;
    this.region = region;
  }

  long value(long count) {
    return (long) (number + 1) << 32 | count;
  }

  Buffer nextBulk() {
    long value = value(++bulks);
    Buffer words = Buffer.buffer(BULK_SIZE);
    for (int i = 0; i < BULK_SIZE; i += Long.BYTES) {
      words.appendLong(Long.reverseBytes(value));
    }
    return words;
  }

  String checkBulk(Buffer words) {
    for (int i = 0; i < BULK_SIZE; i += Long.BYTES) {
      long word = Long.reverseBytes(words.getLong(i));
      if (word != 0 && (word < value(1) || word > value(bulks))) {
        return "a read of " + this + " found " + Long.toHexString(word) + ", which nobody wrote there";
      }
    }
    return null;
  }

  void adds(long amount) {
    mayBeAdded += amount;
  }

  String added(long amount, long old) {
    mayBeAdded -= amount;
    added += amount;
    if (!before.add(old)) {
      return "two additions to " + this + " found " + old;
    }
    return old < 0 || old + amount > added + mayBeAdded ? "an addition to " + this + " found " + old + ", " + added + " were added and "
      + mayBeAdded + " may be" : null;
  }

  void revoked() {
    revoked = MemorySegment.ofArray(region.segment().toArray(ValueLayout.JAVA_BYTE));
  }

  String check() {
    if (owner.dead) {
      return null;
    }
    long sum = region.segment().get(ValueLayout.JAVA_LONG, 0);
    if (sum < added || sum > added + mayBeAdded) {
      return this + " has " + sum + ", " + added + " were added and " + mayBeAdded + " may be";
    }
    return revoked != null && revoked.mismatch(region.segment()) >= 0 ? this + " was changed after its revoke was complete" : null;
  }

  @Override
  public String toString() {
    return "region " + number + " of node " + owner.number;
  }
}
