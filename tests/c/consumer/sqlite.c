/* Opens a journal in a program that uses its own SQLite. Prints the results of the journal and of the
   program's SQLite: the rows that this SQLite wrote, and 1 if its version is the version with which the
   program was built. */
#include <merchantpay.h>
#include <sqlite3.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int32_t third_rows(void);
const char *third_version(void);

int main(int argc, char **argv) {
    mpay_client *client = NULL;
    mpay_journal *journal = NULL;
    mpay_entries *entries = NULL;
    mpay_keypair *keys = NULL, *service = NULL;
    mpay_config *config = mpay_config_new();
    mpay_journal_config *settings = mpay_journal_config_new();
    int32_t made, opened, listed;
    if (argc != 2 || mpay_keypair_generate(&keys, NULL) != MPAY_OK || mpay_keypair_generate(&service, NULL) != MPAY_OK) return 2;
    mpay_config_set_base_url(config, "https://pay.example");
    mpay_config_set_key_id(config, "shop");
    mpay_config_set_private_key(config, mpay_keypair_private_key(keys));
    mpay_config_add_server_public_key(config, mpay_keypair_public_key(service));
    mpay_journal_config_set_place(settings, argv[1]);
    mpay_journal_config_set_create(settings, 1);
    made = mpay_client_new(config, &client, NULL);
    opened = mpay_journal_open(client, settings, &journal, NULL);
    printf("%d %d rows %d ", (int)made, (int)opened, (int)third_rows());
    listed = mpay_journal_list(journal, 0, 10, NULL, 0, &entries, NULL);
    printf("listed %d same %d\n", (int)listed, strcmp(third_version(), SQLITE_VERSION) == 0);
    mpay_entries_free(entries);
    mpay_journal_free(journal);
    mpay_journal_config_free(settings);
    mpay_client_free(client);
    mpay_config_free(config);
    mpay_keypair_free(keys);
    mpay_keypair_free(service);
    return 0;
}
