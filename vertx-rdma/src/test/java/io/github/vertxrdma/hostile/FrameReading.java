package io.github.vertxrdma.hostile;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.link.Frame;
import io.github.vertxrdma.impl.region.RegionPeer;
import io.github.vertxrdma.impl.region.RegionRegistry;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Reads frames as an open link with the region service does. An input is frames of one proven peer, each after its length of 2 bytes.
 * Format and sequence are corrected, so that the rest is read. The peer is replaced when its link ends, and an honest link of the same loop
 * must continue.
 */
final class FrameReading implements Parser.Reading {
  private static final int MOST_FRAMES = 12;
  private static final int LOOKED_AFTER = 100;
  private static final int SEQUENCE_AT = 8;
  private static final int FORMAT_AT = 6;

  private final Victim victim = new Victim();
  private final RegionRegistry regions = new RegionRegistry(() -> victim.loop.host, RegionRegistry.Listener.NONE);
  private RawPeer peer;
  private int sequence;
  private int inputs;

  @Override
  public void read(byte[] bytes) {
    if (peer == null) {
      peer = victim.proven("accept");
      sequence = 1;
      new RegionPeer(victim.end().link, regions, 1_000);
    }
    int at = 0;
    for (int frames = 0; frames < MOST_FRAMES && bytes.length - at > 2; frames++) {
      int length = Math.min((bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff, bytes.length - at - 2);
      length = Math.min(length, RawPeer.MOST_BYTES);
      peer.sendBytes(due(Arrays.copyOfRange(bytes, at + 2, at + 2 + length)));
      at += 2 + length;
    }
    victim.pass(2_000_000);
    peer.take();
    victim.end().messages.clear();
    if (++inputs % LOOKED_AFTER == 0) {
      victim.assertHonest();
    }
    if (peer.over() != null || victim.end().over) {
      cutOff();
    }
  }

  private byte[] due(byte[] frame) {
    if (frame.length >= Frame.SIZE) {
      frame[FORMAT_AT] = Frame.FORMAT;
      frame[FORMAT_AT + 1] = 0;
      for (int i = 0; i < 4; i++) {
        frame[SEQUENCE_AT + i] = (byte) (sequence >> 8 * i);
      }
      sequence++;
      key(frame);
    }
    return frame;
  }

  private void key(byte[] frame) {
    byte[] key = peer.memory().remoteKey();
    if (frame[0] == Frame.RKEY && frame.length >= Frame.SIZE + Long.BYTES + key.length && frame[Frame.SIZE + Long.BYTES] == 1) {
      Frame.putWord(MemorySegment.ofArray(frame), Frame.SIZE, peer.memory().remoteAddress());
      System.arraycopy(key, 0, frame, Frame.SIZE + Long.BYTES, key.length);
    }
  }

  private void cutOff() {
    Throwable cause = victim.end().cause;
    victim.raw.remove(peer);
    peer.close();
    peer = null;
    victim.ends.removeLast();
    if (cause instanceof RdmaException refused) {
      throw refused;
    }
    if (cause != null) {
      throw new AssertionError(cause);
    }
  }
}
