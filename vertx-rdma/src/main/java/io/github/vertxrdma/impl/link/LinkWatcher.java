package io.github.vertxrdma.impl.link;

/** Hears of all links of a device loop, on the loop. */
public interface LinkWatcher {
  /** Watches nothing. */
  LinkWatcher NONE = new LinkWatcher() {
    @Override
    public void opened(Link link) {
    }

    @Override
    public void over(Link link) {
    }
  };

  /** It is open: its peer has proved itself, and {@link Link#peer} says who it is. */
  void opened(Link link);

  /** One that was open is over. */
  void over(Link link);
}
