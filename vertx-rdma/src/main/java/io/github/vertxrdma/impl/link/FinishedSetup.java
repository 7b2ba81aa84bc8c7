package io.github.vertxrdma.impl.link;

/** What is kept of the set-up of a link that is open. */
record FinishedSetup(boolean isConnector, String service) implements LinkSetup {

  /** Of exchanged links, which are few, all of it. */
  static LinkSetup of(LinkSetup setup) {
    return setup.isExchanged() ? setup : new FinishedSetup(setup.isConnector(), setup.service().intern());
  }

  @Override
  public int timeoutMillis() {
    throw over();
  }

  @Override
  public Greeting greeting(byte[] data, byte[] proof) {
    throw over();
  }

  @Override
  public Greeting connected(byte[] privateData) {
    throw over();
  }

  @Override
  public void greeted(Link link, Greeting greeting) {
    throw over();
  }

  @Override
  public void opened(Link link) {
    throw over();
  }

  @Override
  public void failed(Throwable cause) {
    throw over();
  }

  private IllegalStateException over() {
    return new IllegalStateException("the " + describe() + "a peer is open");
  }
}
