package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.region.OwnedRegion;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Reference model of one shared region: a word that all add to, and a word for each holder that nobody else writes. Values that are written tell
 * which region they are for.
 */
final class SharedRegion {
  /** Words of holders begin here, after the word that is added to. */
  static final int SLOTS = 64;
  static final int MOST_HOLDERS = 24;

  final int number;
  final RegionMember owner;
  final OwnedRegion region;
  int holders;
  boolean revokeAsked;
  /** Bytes at the time when the revoke was complete; null before. */
  private byte[] revoked;
  /** Sums of the additions that succeeded, and of those whose outcome nobody knows. */
  private long added;
  private long mayBeAdded;
  private final Set<Long> before = new HashSet<>();

  SharedRegion(int number, RegionMember owner, OwnedRegion region) {
    this.number = number;
    this.owner = owner;
    this.region = region;
  }

  /** Value number so-and-so of a holder of this region. */
  long value(long count) {
    return (long) (number + 1) << 32 | count;
  }

  /** Notes an addition that was asked for. */
  void adds(long amount) {
    mayBeAdded += amount;
  }

  /** Notes that one succeeded. @return an error of it; null for none */
  String added(long amount, long old) {
    mayBeAdded -= amount;
    added += amount;
    if (!before.add(old)) {
      return "two additions to " + this + " found " + old;
    }
    return old < 0 || old + amount > added + mayBeAdded ? "an addition to " + this + " found " + old + ", " + added + " were added and "
      + mayBeAdded + " may be" : null;
  }

  /** The revoke is complete: nothing changes from here on. */
  void revoked() {
    revoked = bytes();
  }

  private byte[] bytes() {
    return region.segment().toArray(ValueLayout.JAVA_BYTE);
  }

  /** Compares the memory with what must be in it. @return an error; null for none */
  String check() {
    if (owner.dead) {
      return null;
    }
    long sum = region.segment().get(ValueLayout.JAVA_LONG, 0);
    if (sum < added || sum > added + mayBeAdded) {
      return this + " has " + sum + ", " + added + " were added and " + mayBeAdded + " may be";
    }
    return revoked != null && !Arrays.equals(revoked, bytes()) ? this + " was changed after its revoke was complete" : null;
  }

  @Override
  public String toString() {
    return "region " + number + " of node " + owner.number;
  }
}
