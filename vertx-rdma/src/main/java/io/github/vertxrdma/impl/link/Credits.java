package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.Grant;

/**
 * Credits of a link in both directions. A frame costs its sender one credit, which stands for a receive that the peer has posted. Messages
 * (DATA, RTS) and control frames have separate credits, see docs/protocol.adoc.
 */
public final class Credits {
  private static final int MOST = 1 << 20;

  private int data;
  private int control = Grant.HANDSHAKE_CREDITS;
  private int controlReceived;
  private int windowData;
  private int windowControl = Grant.HANDSHAKE_CREDITS;
  private int peerData;
  private int peerControl = Grant.HANDSHAKE_CREDITS;
  private int owedData;
  private int owedControl;
  private int withheldData;
  private int withheldControl;
  /** RTS frames whose receive is posted again, minus those acknowledged by ATS. The credit of an RTS is returned after both. */
  private int rendezvousAhead;
  private boolean paused;
  private boolean full;
  private boolean congested;

  public int data() {
    return data;
  }

  public int control() {
    return control;
  }

  public boolean canSendData() {
    return data > 0;
  }

  /** The last control credit is reserved for CREDIT frames: two sides without credits could not return any. */
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

  public boolean received(int moreData, int moreControl) {
    data += moreData;
    control += moreControl;
    controlReceived += moreControl;
    return data <= MOST && control <= MOST;
  }

  public int controlReceived() {
    return controlReceived;
  }

  public boolean arrived(boolean isData) {
    return (isData ? --peerData : --peerControl) >= 0;
  }

  public void rendezvousPosted() {
    if (rendezvousAhead++ < 0) {
      giveBackData();
    }
  }

  void rendezvousAcknowledged(int pieces) {
    for (int i = 0; i < pieces; i++) {
      if (rendezvousAhead-- > 0) {
        giveBackData();
      }
    }
  }

  public void giveBackData() {
    giveBackData(1);
  }

  private void giveBackData(int count) {
    if (paused || full) {
      withheldData += count;
    } else {
      owedData += count;
    }
  }

  /** @param ofCredit true for a CREDIT frame, whose credit is never withheld */
  public void giveBackControl(boolean ofCredit) {
    if (congested && !ofCredit) {
      withheldControl++;
    } else {
      owedControl++;
    }
  }

  /** Adds receives whose credits this side's greeting grants to the peer. */
  public void grantInGreeting(Grant more) {
    widened(more);
    peerData += more.data();
    peerControl += more.control();
  }

  /** Adds receives whose credits the next frames grant to the peer. */
  public void grantMore(Grant more) {
    widened(more);
    owedControl += more.control();
    giveBackData(more.data());
  }

  private void widened(Grant more) {
    windowData += more.data();
    windowControl += more.control();
  }

  /**
   * Withholds data credits.
   *
   * @param byReader true while the reader has paused
   * @param byBytes true while too many bytes wait for delivery
   */
  public void withhold(boolean byReader, boolean byBytes) {
    paused = byReader;
    full = byBytes;
    if (!paused && !full) {
      owedData += withheldData;
      withheldData = 0;
    }
  }

  public boolean isPaused() {
    return paused;
  }

  public boolean isFull() {
    return full;
  }

  /** Withholds control credits while too many replies wait to be sent. */
  public void congested(boolean on) {
    congested = on;
    if (!on) {
      owedControl += withheldControl;
      withheldControl = 0;
    }
  }

  public int windowControl() {
    return windowControl;
  }

  /** Returns whether the peer has used up its data credits, or its control credits with region frames. */
  public boolean isUsedUp(int type) {
    return windowData > 0 && (peerData == 0 && !paused && !full || peerControl <= 1 && type >= Frame.REGION_BASE);
  }

  /** Returns whether this side owes the peer half of the credits, and so should send a CREDIT frame. */
  boolean isCreditFrameDue() {
    return owedData > 0 && owedData * 2 >= windowData || owedControl * 2 >= windowControl;
  }

  public int takeData() {
    int taken = Math.min(owedData, Frame.MOST_CREDITS);
    owedData -= taken;
    peerData += taken;
    return taken;
  }

  public int takeControl() {
    int taken = Math.min(owedControl, Frame.MOST_CREDITS);
    owedControl -= taken;
    peerControl += taken;
    return taken;
  }
}
