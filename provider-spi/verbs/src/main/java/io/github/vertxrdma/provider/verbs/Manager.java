package io.github.vertxrdma.provider.verbs;

/**
 * The connection manager, or the reason for its absence.
 *
 * @param cm its library, null if it cannot be used
 * @param missing why it is not used, null if it is
 * @param remedy the remedy; null if the user does not want it
 */
record Manager(RdmaCm cm, String missing, String remedy) {

  static Manager of(RdmaCm cm) {
    return new Manager(cm, null, null);
  }

  static Manager none(String why, String remedy) {
    return new Manager(null, why, remedy);
  }

  /** Returns why it connects no endpoint, for messages. */
  String absence() {
    return missing == null ? "/dev/infiniband/rdma_cm cannot be opened any more" : missing + (remedy == null ? "" : " — " + remedy);
  }

  boolean isUsable() {
    return cm != null;
  }
}
