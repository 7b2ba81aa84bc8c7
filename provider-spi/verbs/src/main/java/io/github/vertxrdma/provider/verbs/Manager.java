package io.github.vertxrdma.provider.verbs;

/**
 * @param cm the connection manager; null if it is not used
 * @param missing why it is not used; null if it is
 * @param remedy null if the user does not want it
 */
record Manager(RdmaCm cm, String missing, String remedy) {

  static Manager of(RdmaCm cm) {
    return new Manager(cm, null, null);
  }

  static Manager none(String why, String remedy) {
    return new Manager(null, why, remedy);
  }

  String absence() {
    return missing == null ? "/dev/infiniband/rdma_cm can no longer be opened" : missing + (remedy == null ? "" : " — " + remedy);
  }

  boolean isUsable() {
    return cm != null;
  }
}
