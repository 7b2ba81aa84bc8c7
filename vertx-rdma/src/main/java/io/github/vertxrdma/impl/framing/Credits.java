package io.github.vertxrdma.impl.framing;

import io.github.vertxrdma.impl.device.Grant;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.impl.wire.Greeting;

/**
 * Credits of a link, both ways: the frames that this side may send, and those that its peer may. Messages and all other frames have credits
 * of their own. The peer's are given back when a receive is posted again, and go in the header of any frame. Credits for messages are
 * withheld while the reader is paused or too much waits to be delivered, those for other frames while too many answers wait to be sent.
 * Confined to the loop.
 */
public final class Credits {
  /** Most credits that a side may hold: more than there can be receives. */
  private static final int MOST = 1 << 20;

  /** Credits of this side. */
  private int data;
  private int control = Greeting.HANDSHAKE_CREDITS;
  /** Credits for control frames that the peer has given since the beginning. */
  private int given;
  /** Receives granted to the peer, used or not. */
  private int windowData;
  private int windowControl = Greeting.HANDSHAKE_CREDITS;
  /** Credits that the peer has. */
  private int peerData;
  private int peerControl = Greeting.HANDSHAKE_CREDITS;
  /**
   * Data credits that the peer still has when it gets a frame of nothing but credits: half, and one fewer after each such frame, down to
   * one. A turn that brings several messages, in one frame or more, makes it half again: a peer that sends one at a time needs one, and any
   * other one would be held back.
   */
  private int low;
  /** Whether a message came in this turn. */
  private boolean came;
  /** Credits to give back with the next frame. */
  private int owedData;
  private int owedControl;
  private int withheldData;
  private int withheldControl;
  /**
   * Rendezvous frames whose receive is posted again, less those whose piece is acknowledged: a credit goes back with the later of the two.
   */
  private int rendezvousAhead;
  private boolean paused;
  private boolean full;
  private boolean congested;

  // ---- this side's

  public int data() {
    return data;
  }

  public int control() {
    return control;
  }

  public boolean canSendData() {
    return data > 0;
  }

  /** Tells whether a control frame may go: the last credit is kept for CREDIT, so that both sides can never wait for each other. */
  public boolean canSendControl(int type) {
    return control > (type == Frame.CREDIT ? 0 : 1);
  }

  public void spend(boolean isData) {
    if (isData) {
      data--;
    } else {
      control--;
    }
  }

  /** Takes credits that the peer gives. @return false if there cannot be so many */
  public boolean received(int moreData, int moreControl) {
    data += moreData;
    control += moreControl;
    given += moreControl;
    return data <= MOST && control <= MOST;
  }

  /** Credits for control frames that the peer has given since the beginning; to compare with what it was before. */
  public int given() {
    return given;
  }

  // ---- the peer's

  /** Counts a frame of the peer. @param several whether it has several messages @return false if it had no credit for it */
  public boolean arrived(boolean isData, boolean several) {
    if (!isData) {
      return --peerControl >= 0;
    }
    if (came || several) {
      low = windowData / 2;
    }
    came = true;
    return --peerData >= 0;
  }

  /** Notes that the receive of a rendezvous frame is posted again. */
  public void rendezvousPosted() {
    if (rendezvousAhead++ < 0) {
      giveBackData();
    }
  }

  /** Notes that an acknowledgement goes. A peer that does not take them cannot name more pieces. @param pieces that it names */
  void rendezvousAcknowledged(int pieces) {
    for (int i = 0; i < pieces; i++) {
      // Mostly the receive is first, but the queue may have been full.
      if (rendezvousAhead-- > 0) {
        giveBackData();
      }
    }
  }

  /** Gives a data credit back: the receive is posted again. */
  public void giveBackData() {
    if (paused || full) {
      withheldData++;
    } else {
      owedData++;
    }
  }

  /** Gives a control credit back: the receive is posted again. @param ofCredit true for a CREDIT frame's, which is never withheld */
  public void giveBackControl(boolean ofCredit) {
    if (congested && !ofCredit) {
      withheldControl++;
    } else {
      owedControl++;
    }
  }

  /** Counts receives beyond those of the handshake, of which the greeting tells the peer. */
  public void told(Grant more) {
    widened(more);
    peerData += more.data();
    peerControl += more.control();
  }

  /** Grants more receives, which are posted. */
  public void granted(Grant more) {
    widened(more);
    owedControl += more.control();
    if (paused || full) {
      withheldData += more.data();
    } else {
      owedData += more.data();
    }
  }

  private void widened(Grant more) {
    windowData += more.data();
    windowControl += more.control();
    low = windowData / 2;
  }

  /** Stops or resumes giving data credits back; messages for which they are given still arrive. */
  public void pause(boolean on) {
    paused = on;
    giveBackWithheld();
  }

  public boolean isPaused() {
    return paused;
  }

  /** Stops or resumes giving data credits back: messages wait behind one that cannot be delivered yet. */
  public void full(boolean on) {
    full = on;
    giveBackWithheld();
  }

  public boolean isFull() {
    return full;
  }

  private void giveBackWithheld() {
    if (!paused && !full) {
      owedData += withheldData;
      withheldData = 0;
    }
  }

  /** Stops or resumes giving control credits back, but those of CREDIT frames: the peer asks for more than it takes. */
  public void congested(boolean on) {
    congested = on;
    if (!on) {
      owedControl += withheldControl;
      withheldControl = 0;
    }
  }

  /** Receives for control frames that the peer was granted. */
  public int windowControl() {
    return windowControl;
  }

  /** Tells whether the peer has used all that it was granted beyond the handshake, and would send more. */
  public boolean isUsedUp(int type) {
    return windowData > 0 && (peerData == 0 && !paused && !full || peerControl <= 1 && type >= Frame.REGION_BASE);
  }

  /** Ends a turn. @return whether so much is owed that a frame of its own should carry it */
  boolean turnEnd() {
    came = false;
    return owedData > 0 && owedData * 2 >= windowData && peerData <= low || owedControl * 2 >= windowControl;
  }

  /** Notes that a frame of nothing but credits goes. */
  void givenAlone() {
    low = Math.max(1, low - 1);
  }

  /** Takes data credits for the header of a frame. */
  public int takeData() {
    int taken = Math.min(owedData, Frame.MOST_CREDITS);
    owedData -= taken;
    peerData += taken;
    return taken;
  }

  /** Takes control credits for the header of a frame. */
  public int takeControl() {
    int taken = Math.min(owedControl, Frame.MOST_CREDITS);
    owedControl -= taken;
    peerControl += taken;
    return taken;
  }
}
